import { releaseNumber, rentNumber } from "../../sandbox/account.ts";
import { accountOf } from "../../service/service.ts";
import type { RentedNumber } from "../../state/account.ts";
import { Field, FieldsForm, Input, Item, Select } from "../components/controls.tsx";
import { Card, EmptyNote, type Html } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import type { FormHandlers, PageRequest } from "../request/page-request.tsx";

/** The handlers of the forms that rent and release numbers. */
export const rentedNumberForms: FormHandlers = {
  "/numbers": ({ deps, application, form }) =>
    rentNumber(deps, {
      phone: form.text("phone"),
      applicationId: application.id,
      kind: form.text("kind"),
      capabilities: form.all("capabilities"),
      routing: form.text("routing"),
    }),
  "/numbers/remove": ({ deps, form }) => releaseNumber(deps, form.text("phone") ?? ""),
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

/** Shows the rented numbers of the account with their applications, and a form that rents one. */
export function RentedNumbersCard({ deps, application }: PageRequest): Html {
  const path = applicationPath(application.id, "numbers");
  const { numbers } = accountOf(deps);
  const ownerOf = ({ applicationId }: RentedNumber) =>
    deps.state.applications.get(applicationId)?.name ?? applicationId;
  return (
    <Card
      id="numbers"
      title="Rented numbers"
      lead="Each number belongs to exactly one application and can receive replies. Receiving is announced for Q3 2026, and its interface is not described yet."
    >
      {numbers.length === 0 && <EmptyNote>No number is rented.</EmptyNote>}
      <ul class="items">
        {numbers.map((number) => (
          <Item
            id={`number-${number.phone}`}
            name={number.phone}
            kind="number"
            remove={`${path}/remove`}
            fields={{ phone: number.phone }}
            label={`Release ${number.phone}`}
          >
            <span class="text">
              {useText(number)}, for {ownerOf(number)}
            </span>
          </Item>
        ))}
      </ul>
      <FieldsForm action={path} label="Rent for this application">
        <Input label="Number" type="tel" name="phone" required placeholder="+4915735980000" />
        <Field label="Kind">
          <Select name="kind" choices={kinds} />
        </Field>
        <Field label="Inbound calls go">
          <Select name="routing" choices={routings} />
        </Field>
        <Capabilities />
      </FieldsForm>
    </Card>
  );
}

function Capabilities(): Html {
  return (
    <fieldset>
      <legend>Capabilities</legend>
      <div class="checks">
        {["SMS", "voice"].map((capability) => (
          <label class="check">
            <input type="checkbox" name="capabilities" value={capability} checked /> {capability}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function useText({ kind, capabilities, routing }: RentedNumber): string {
  const calls = routing === "none" ? "calls go nowhere" : "calls go to a SIP trunk";
  return `${kind.replace("_", "-")}, ${capabilities.join(" and ")}, ${calls}`;
}
