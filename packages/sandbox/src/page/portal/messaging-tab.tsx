import type { Account } from "../../state/account.ts";
import type { Application } from "../../state/application.ts";
import { address } from "../address.ts";
import { Card } from "../controls/card.tsx";
import { Field, PostButton } from "../controls/form.tsx";
import type { Html } from "../html.ts";
import { Instant } from "../instant.tsx";
import { RentedNumbers } from "./rented-numbers.tsx";
import { TemplateCard } from "./template-card.tsx";

/** What {@link MessagingTab} shows. */
export interface MessagingTabProps {
  readonly application: Pick<Application, "id" | "templates">;
  readonly account: Pick<Account, "senders" | "numbers">;
  /** Names by id. */
  readonly applications: readonly { readonly id: string; readonly name: string }[];
  readonly now: number;
}

/** What messages come from, and what verifications say. */
export function MessagingTab({ application, account, applications, now }: MessagingTabProps): Html {
  return (
    <>
      <TemplateCard application={application} />
      <Senders applicationId={application.id} senders={account.senders} now={now} />
      <RentedNumbers applicationId={application.id} numbers={account.numbers} applications={applications} />
    </>
  );
}

interface SendersProps {
  readonly applicationId: string;
  readonly senders: Account["senders"];
  readonly now: number;
}

function Senders({ applicationId, senders, now }: SendersProps): Html {
  const path = address(applicationId, "senders");
  return (
    <Card
      id="senders"
      title="Sender IDs"
      lead="Registered on the account, for all applications. A sender ID is one-way: nobody can reply to it."
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
        <p class="act">
          <button type="submit">Register</button>
        </p>
      </form>
    </Card>
  );
}
