import { registerSender, removeSender } from "../../sandbox/account.ts";
import type { Account } from "../../state/account.ts";
import { Field, PostButton, SubmitButton } from "../components/controls.tsx";
import { Card, type Html } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import { Instant } from "../components/status.tsx";
import { type FormHandlers, ofApplication } from "../request/form-handler.ts";

/** The handlers of the forms that register and remove sender IDs. */
export const senderForms: FormHandlers = {
  returning: {
    [`${ofApplication}/senders`]: ({ deps, form }) => registerSender(deps, { name: form.text("name") ?? "" }),
    [`${ofApplication}/senders/remove`]: ({ deps, form }) => removeSender(deps, form.text("name") ?? ""),
  },
};

interface SendersCardProps {
  readonly applicationId: string;
  readonly senders: Account["senders"];
  readonly now: number;
}

/** Shows the sender IDs of the account, and a form that registers one. */
export function SendersCard({ applicationId, senders, now }: SendersCardProps): Html {
  const path = applicationPath(applicationId, "senders");
  return (
    <Card
      id="senders"
      title="Sender IDs"
      lead="Registered on the account, for all applications. A sender ID is one-way: recipients cannot reply to it."
    >
      <ul class="items">
        {senders.map(({ name, registeredAt }) => (
          <li id={`sender-${name}`}>
            <strong>{name}</strong>
            <span class="text">
              registered <Instant at={registeredAt} now={now} />
            </span>
            <PostButton action={`${path}/remove`} label={`Remove ${name}`} icon="trash" bare fields={{ name }} />
          </li>
        ))}
      </ul>
      <form method="post" action={path} class="fields">
        <Field label="Sender ID" hint="1 to 11 letters, digits and spaces, at least one letter">
          <input type="text" name="name" required maxlength={11} autocomplete="off" />
        </Field>
        <SubmitButton label="Register" />
      </form>
    </Card>
  );
}
