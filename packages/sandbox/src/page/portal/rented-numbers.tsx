import type { RentedNumber } from "../../state/account.ts";
import { address } from "../address.ts";
import { Card, Empty } from "../controls/card.tsx";
import { Field, PostButton, Select } from "../controls/form.tsx";
import type { Html } from "../html.ts";

const kinds = [
  { value: "mobile", label: "mobile" },
  { value: "local", label: "local" },
  { value: "toll_free", label: "toll-free" },
];
const routings = [
  { value: "none", label: "nowhere" },
  { value: "sip_trunk", label: "to a SIP trunk" },
];

/** What {@link RentedNumbers} shows. */
export interface RentedNumbersProps {
  readonly applicationId: string;
  readonly numbers: readonly RentedNumber[];
  readonly applications: readonly { readonly id: string; readonly name: string }[];
}

/** The rented numbers of the account, each with the application it is assigned to. */
export function RentedNumbers({ applicationId, numbers, applications }: RentedNumbersProps): Html {
  const path = address(applicationId, "numbers");
  return (
    <Card
      id="numbers"
      title="Rented numbers"
      lead="Two-way capable, and assigned to exactly one application. Receiving is announced for Q3 2026; no interface is described yet."
    >
      {numbers.length === 0 && <Empty>No number is rented.</Empty>}
      <ul class="items">
        {numbers.map((number) => (
          <li id={`number-${number.phone}`}>
            <strong class="number">{number.phone}</strong>
            <span class="text">{numberWords(number, applications)}</span>
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
      <p class="act">
        <button type="submit">Rent for this application</button>
      </p>
    </form>
  );
}

function numberWords(number: RentedNumber, applications: RentedNumbersProps["applications"]): string {
  const { kind, capabilities, routing, applicationId } = number;
  const owner = applications.find(({ id }) => id === applicationId)?.name ?? applicationId;
  const calls = routing === "none" ? "calls go nowhere" : "calls go to a SIP trunk";
  return `${kind.replace("_", "-")}, ${capabilities.join(" and ")}, ${calls}, for ${owner}`;
}
