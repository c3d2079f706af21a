import { configureApplication } from "../../sandbox/applications.ts";
import { type Dialect, defaultDialect, dialectChoices } from "../../state/dialect.ts";
import { FieldsForm, SelectField } from "../components/controls.tsx";
import { Card, type Html } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import { type FormHandlers, type PageRequest, toNumber } from "../request/page-request.tsx";

/** The handler of the form that changes the dialect of an application. */
export const dialectForms: FormHandlers = {
  "/dialect": ({ deps, application, form }) => {
    // Only the row `acceptedStatus` is a number.
    const dialect = form.members((name, value) => (name === "acceptedStatus" ? toNumber(value) : value));
    configureApplication(deps, application.id, { dialect });
  },
};

const rowLabels: Readonly<Record<keyof Dialect, string>> = {
  verificationId: "Id of a new verification",
  acceptedStatus: "Status of POST /verifications",
  confirmationRefusal: "Wrong or expired code",
  errorCode: "Error code of a confirmation",
  refusalStatus: "Invalid API key, invalid input",
  refusalBody: "Body of refusals",
  envelope: "Name of the event beside data",
  eventFields: "Fields of data",
  instants: "Instants",
  verificationStatuses: "Statuses of verifications",
  messageStatuses: "Statuses of messages",
  channelNames: "Names of channels",
  customOtpTemplate: "Template beside custom_otp",
  messageList: "Answer of GET /messages",
  unregisteredSender: "Unregistered sender",
  httpTargets: "http webhook targets",
};

/** Labels of choices whose name is not clear enough. */
const choiceLabels: Readonly<Record<string, string>> = {
  status_400: "400 with the error code",
  false: "200, success: false",
  text_true: '200, success: "true"',
  empty: "an empty body",
  "401_422": "401 and 422",
  "403_400": "403 and 400",
  message: "first word of message",
  data_only: "none, only data",
  own: "other words",
  four: "the four",
  five: "one more: BUFFERED",
  refused: "refused",
  fails: "accepted, then FAILED",
  loopback: "accepted on this machine",
};

function choiceLabel(row: keyof Dialect, choice: string | number): string {
  if (row === "channelNames") return choice === "five" ? "the five" : "any";
  if (row === "verificationStatuses" && choice === "known") return "PENDING, APPROVED …";
  if (row === "refusalBody" || row === "messageList") return String(choice);
  return choiceLabels[String(choice)] ?? String(choice).replaceAll("_", row === "instants" ? " " : "_");
}

const rows = Object.keys(rowLabels).filter((name): name is keyof Dialect => name in dialectChoices);

/** Shows a form with the dialect of an application. */
export function DialectCard({ application: { id, dialect } }: PageRequest): Html {
  return (
    <Card
      id="dialect"
      title="Dialect"
      lead="The choices that the specification leaves open. Your app should work with all of them."
    >
      <FieldsForm action={applicationPath(id, "dialect")} label="Save dialect" look="primary" wide>
        {rows.map((row) => (
          <SelectField
            label={rowLabels[row]}
            hint={dialect[row] === defaultDialect[row] ? undefined : "not the default"}
            name={row}
            choices={Object.fromEntries(dialectChoices[row].map((choice) => [choice, choiceLabel(row, choice)]))}
            chosen={String(dialect[row])}
          />
        ))}
      </FieldsForm>
    </Card>
  );
}
