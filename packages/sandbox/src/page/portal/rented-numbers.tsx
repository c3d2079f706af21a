import { Card, EmptyNote, type Html } from "@doorcode/operations/page-parts";
import type { RentedNumber } from "../../state/account.ts";
import { CheckBoxes, FieldsForm, Input, Item, SelectField } from "../components/controls.tsx";
import { phoneText } from "../components/digits.tsx";
import { applicationPath } from "../components/paths.ts";
import type { FormHandlers, PageRequest } from "../request/page-request.tsx";

/** The handlers of the forms that rent and release numbers. */
export const rentedNumberForms: FormHandlers = {
  "/numbers": ({ account, application, form }) =>
    account.rentNumber({
      phone: form.text("phone"),
      applicationId: application.id,
      kind: form.text("kind"),
      capabilities: form.all("capabilities"),
      routing: form.text("routing"),
    }),
  "/numbers/remove": ({ account, form }) => account.releaseNumber(form.text("phone") ?? ""),
};

const kinds: Readonly<Record<RentedNumber["kind"], string>> = {
  mobile: "mobile",
  local: "local",
  toll_free: "toll-free",
};
const routings: Readonly<Record<RentedNumber["routing"], string>> = { none: "nowhere", sip_trunk: "to a SIP trunk" };
const capabilities: RentedNumber["capabilities"] = ["SMS", "voice"];

/** Shows the rented numbers of the account with their applications, and a form that rents one. */
export function RentedNumbersCard({ deps, account, application }: PageRequest): Html {
  const path = applicationPath(application.id, "numbers");
  const { numbers } = account.get();
  const nameOf = (applicationId: string) => deps.state.applications.get(applicationId)?.name ?? applicationId;
  return (
    <Card
      id="numbers"
      title="Rented numbers"
      lead="Each number belongs to exactly one application and can receive replies. Receiving is announced for Q3 2026, and its interface is not described yet."
    >
      {numbers.length === 0 && <EmptyNote>No number is rented.</EmptyNote>}
      <ul class="items">
        {numbers.map(({ phone, applicationId, kind, capabilities, routing }) => (
          <Item list={path} field="phone" name={phone} kind="number" label={`Release ${phoneText(phone)}`}>
            <span class="text">
              {kinds[kind]}, {capabilities.join(" and ")}, calls go {routings[routing]}, for {nameOf(applicationId)}
            </span>
          </Item>
        ))}
      </ul>
      <FieldsForm action={path} label="Rent for this application">
        <Input label="Number" type="tel" name="phone" required placeholder="+4915735980000" />
        <SelectField label="Kind" name="kind" choices={kinds} />
        <SelectField label="Inbound calls go" name="routing" choices={routings} />
        <CheckBoxes legend="Capabilities" name="capabilities" values={capabilities} checked={capabilities} />
      </FieldsForm>
    </Card>
  );
}
