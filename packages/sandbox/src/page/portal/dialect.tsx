import { Card, type Html } from "@doorcode/operations/page-parts";
import { type Dialect, defaultDialect, dialectChoices } from "../../state/dialect.ts";
import { FieldsForm, SelectField } from "../components/controls.tsx";
import { applicationPath } from "../components/paths.ts";
import { type FormHandlers, type PageRequest, toNumber } from "../request/page-request.tsx";

/** The handler of the form that changes the dialect of an application. */
export const dialectForms: FormHandlers = {
  "/dialect": ({ sandbox, form }) => {
    // Only the row `acceptedStatus` is a number.
    const dialect = form.members((name, value) => (name === "acceptedStatus" ? toNumber(value) : value));
    sandbox.configure({ dialect });
  },
};

/** The label of each row, and the labels of those choices whose name is not clear enough. */
const labels: Readonly<Record<keyof Dialect, readonly [row: string, choices?: Readonly<Record<string, string>>]>> = {
  verificationId: ["Id of a new verification"],
  acceptedStatus: ["Status of POST /verifications"],
  confirmationRefusal: [
    "Wrong or expired code",
    {
      status_400: "400 with the error code",
      false: "200, success: false",
      text_true: '200, success: "true"',
      empty: "an empty body",
    },
  ],
  errorCode: ["Error code of a confirmation", { message: "first word of message" }],
  refusalStatus: ["Invalid API key, invalid input", { "401_422": "401 and 422", "403_400": "403 and 400" }],
  refusalBody: ["Body of refusals"],
  envelope: ["Name of the event beside data", { data_only: "none, only data" }],
  eventFields: ["Fields of data"],
  instants: ["Instants"],
  verificationStatuses: ["Statuses of verifications", { known: "PENDING, APPROVED …", own: "other words" }],
  messageStatuses: ["Statuses of messages", { four: "the four", five: "one more: BUFFERED" }],
  channelNames: ["Names of channels", { five: "the five" }],
  customOtpTemplate: ["Template beside custom_otp"],
  messageList: ["Answer of GET /messages"],
  unregisteredSender: ["Unregistered sender", { fails: "accepted, then FAILED" }],
  httpTargets: ["http webhook targets", { loopback: "accepted on this machine" }],
};

const rows = Object.keys(labels).filter((name): name is keyof Dialect => name in dialectChoices);

/** Shows a form with the dialect of an application. */
export function DialectCard({ application: { id, dialect } }: PageRequest): Html {
  return (
    <Card
      id="dialect"
      title="Dialect"
      lead="The choices that the specification leaves open. Your app should work with all of them."
    >
      <FieldsForm action={applicationPath(id, "dialect")} label="Save dialect" look="primary" wide>
        {rows.map((row) => {
          const [label, choiceLabels = {}] = labels[row];
          return (
            <SelectField
              label={label}
              hint={dialect[row] === defaultDialect[row] ? undefined : "not the default"}
              name={row}
              choices={Object.fromEntries(
                dialectChoices[row].map((name) => [name, choiceLabels[name] ?? String(name)]),
              )}
              chosen={String(dialect[row])}
            />
          );
        })}
      </FieldsForm>
    </Card>
  );
}
