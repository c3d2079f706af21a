import { releaseNumber, rentNumber } from "../../sandbox/account.ts";
import type { RentedNumber } from "../../state/account.ts";
import type { Application } from "../../state/application.ts";
import { Field, PostButton, Select, SubmitButton } from "../components/controls.tsx";
import { Card, EmptyNote, type Html } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import { type FormHandlers, ofApplication } from "../request/form-handler.ts";

/** The handlers of the forms that rent and release numbers. */
export const rentedNumberForms: FormHandlers = {
  returning: {
    [`${ofApplication}/numbers`]: ({ deps, application, form }) =>
      rentNumber(deps, {
        phone: form.text("phone"),
        applicationId: application.id,
        kind: form.text("kind"),
        capabilities: form.all("capabilities"),
        routing: form.text("routing"),
      }),
    [`${ofApplication}/numbers/remove`]: ({ deps, form }) => releaseNumber(deps, form.text("phone") ?? ""),
  },
};

const kinds = [
  { value: "mobile", label: "mobile" },
  { value: "local", label: "local" },
  { value: "toll_free", label: "toll-free" },
];
const routings = [
  { value: "none", label: "nowhere" },
  { value: "sip_trunk", label: "to a SIP trunk" },
];

interface RentedNumbersCardProps {
  readonly applicationId: string;
  readonly numbers: readonly RentedNumber[];
  readonly applications: readonly Pick<Application, "id" | "name">[];
}

/** Shows the rented numbers of the account with their applications, and a form that rents one. */
export function RentedNumbersCard({ applicationId, numbers, applications }: RentedNumbersCardProps): Html {
  const path = applicationPath(applicationId, "numbers");
  return (
    <Card
      id="numbers"
      title="Rented numbers"
      lead="Each number belongs to exactly one application and can receive replies. Receiving is announced for Q3 2026, and its interface is not described yet."
    >
      {numbers.length === 0 && <EmptyNote>No number is rented.</EmptyNote>}
      <ul class="items">
        {numbers.map((number) => (
          <li id={`number-${number.phone}`}>
            <strong class="number">{number.phone}</strong>
            <span class="text">{numberText(number, applications)}</span>
            <PostButton
              action={`${path}/remove`}
              label={`Release ${number.phone}`}
              icon="trash"
              bare
              fields={{ phone: number.phone }}
            />
          </li>
        ))}
      </ul>
      <RentForm path={path} />
    </Card>
  );
}

function RentForm({ path }: { readonly path: string }): Html {
  return (
    <form method="post" action={path} class="fields">
      <Field label="Number">
        <input type="tel" name="phone" required placeholder="+4915735980000" autocomplete="off" />
      </Field>
      <Field label="Kind">
        <Select name="kind" choices={kinds} />
      </Field>
      <Field label="Inbound calls go">
        <Select name="routing" choices={routings} />
      </Field>
      <fieldset>
        <legend>Capabilities</legend>
        <div class="checks">
          <label class="check">
            <input type="checkbox" name="capabilities" value="SMS" checked /> SMS
          </label>
          <label class="check">
            <input type="checkbox" name="capabilities" value="voice" checked /> voice
          </label>
        </div>
      </fieldset>
      <SubmitButton label="Rent for this application" />
    </form>
  );
}

function numberText(number: RentedNumber, applications: RentedNumbersCardProps["applications"]): string {
  const { kind, capabilities, routing, applicationId } = number;
  const owner = applications.find(({ id }) => id === applicationId)?.name ?? applicationId;
  const calls = routing === "none" ? "calls go nowhere" : "calls go to a SIP trunk";
  return `${kind.replace("_", "-")}, ${capabilities.join(" and ")}, ${calls}, for ${owner}`;
}
