import { Card, EmptyNote, type Html, Table } from "@doorcode/operations/page-parts";
import { behaviourRanges } from "../../service/simulated-phone.ts";
import { type Behaviour, behaviours as behaviourNames } from "../../state/application.ts";
import { CopyButton, FieldsForm, Input, Item, SelectField } from "../components/controls.tsx";
import { Digits, Phone, phoneText } from "../components/digits.tsx";
import { applicationPath } from "../components/paths.ts";
import type { FormHandlers, PageRequest } from "../request/page-request.tsx";
import { entryForms } from "./entry-forms.ts";

/** The handlers of the forms that change the fixed codes and the misbehaving numbers of an application. */
export const testNumberForms: FormHandlers = {
  ...entryForms("codes", "phone", "code"),
  ...entryForms("behaviours", "who", "behaviour"),
};

/** Shows the numbers with a fixed code, and a form that adds one. */
export function FixedCodesCard({ application: { id, codes } }: PageRequest): Html {
  const path = applicationPath(id, "codes");
  return (
    <Card
      id="codes"
      title="Fixed codes"
      lead="Numbers that always get the same code, for tests that cannot read the inbox."
    >
      {Object.keys(codes).length === 0 && <EmptyNote>No number has a fixed code.</EmptyNote>}
      <ul class="items">
        {Object.entries(codes).map(([phone, code]) => (
          <Item list={path} field="phone" name={phone} kind="number" label={`Remove the code of ${phoneText(phone)}`}>
            <code class="text">
              <Digits code={code} />
            </code>
          </Item>
        ))}
      </ul>
      <FieldsForm action={path} label="Save code">
        <Input label="Number" type="tel" name="phone" required placeholder="+4915112345678" />
        <Input
          label="Code"
          name="code"
          required
          inputmode="numeric"
          pattern="\d{4,10}"
          title="4 to 10 digits"
          placeholder="123456"
        />
      </FieldsForm>
    </Card>
  );
}

const labels: Readonly<Record<Behaviour, string>> = {
  sms_fails: "SMS fails",
  never_delivered: "never delivered, stays SENT",
  only_voice: "only voice works",
  slow: "slow: the outcome comes after the fallback",
  duplicate_events: "each event twice",
  reordered_events: "SENT arrives after the outcome",
};

/** Shows the misbehaving numbers and countries of an application, and a form that adds one. */
export function BehavioursCard({ application: { id, behaviours } }: PageRequest): Html {
  const path = applicationPath(id, "behaviours");
  return (
    <Card id="behaviours" title="Numbers that misbehave" lead="A number, or a whole country such as DE.">
      {Object.keys(behaviours).length === 0 && (
        <EmptyNote>None of your own. The ranges below always misbehave.</EmptyNote>
      )}
      <ul class="items">
        {Object.entries(behaviours).map(([who, behaviour]) => (
          <Item list={path} field="who" name={who} kind="number" label={`Let ${phoneText(who)} behave`}>
            <span class="text">{labels[behaviour]}</span>
          </Item>
        ))}
      </ul>
      <FieldsForm action={path} label="Save behaviour">
        <Input label="Number or country" name="who" required placeholder="+4915112345678 or DE" />
        <SelectField label="Behaviour" name="behaviour" choices={labels} />
      </FieldsForm>
    </Card>
  );
}

const countries = new Set(behaviourRanges.map(({ country }) => country));

/** Shows the fixed ranges of misbehaving numbers, with one column for each country. */
export function BehaviourRangesCard(): Html {
  return (
    <Card
      id="ranges"
      title="Ranges that always misbehave"
      lead="Numbers that regulators reserve for film and print. The first of ten: the last digit can be any."
    >
      <Table
        label="Ranges by country"
        columns={["Behaviour", ...countries]}
        rows={behaviourNames.map((behaviour) => [
          labels[behaviour],
          ...behaviourRanges.filter((range) => range.behaviour === behaviour).map(({ prefix }) => firstOf(prefix)),
        ])}
      />
    </Card>
  );
}

/** Shows the first number of a range. */
function firstOf(prefix: string): Html {
  const phone = `${prefix}0`;
  return (
    <span class="range">
      <Phone number={phone} />
      <CopyButton text={phone} label={phoneText(phone)} />
    </span>
  );
}
