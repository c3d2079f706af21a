import { Card, type Html } from "@doorcode/operations/page-parts";
import { FieldsForm, Input, Item } from "../components/controls.tsx";
import { applicationPath } from "../components/paths.ts";
import { Instant } from "../components/status.tsx";
import type { FormHandlers, PageRequest } from "../request/page-request.tsx";

/** The handlers of the forms that register and remove sender IDs. */
export const senderForms: FormHandlers = {
  "/senders": ({ account, form }) => account.registerSender(form.text("name") ?? ""),
  "/senders/remove": ({ account, form }) => account.removeSender(form.text("name") ?? ""),
};

/** Shows the sender IDs of the account, and a form that registers one. */
export function SendersCard({ account, application, now }: PageRequest): Html {
  const path = applicationPath(application.id, "senders");
  return (
    <Card
      id="senders"
      title="Sender IDs"
      lead="Registered on the account, for all applications. A sender ID is one-way: recipients cannot reply to it."
    >
      <ul class="items">
        {account.get().senders.map(({ name, registeredAt }) => (
          <Item list={path} field="name" name={name}>
            <span class="text">
              registered <Instant at={registeredAt} now={now} />
            </span>
          </Item>
        ))}
      </ul>
      <FieldsForm action={path} label="Register">
        <Input
          label="Sender ID"
          hint="1 to 11 letters, digits and spaces, at least one letter"
          name="name"
          required
          maxlength={11}
        />
      </FieldsForm>
    </Card>
  );
}
