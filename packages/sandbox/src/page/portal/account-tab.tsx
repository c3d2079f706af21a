import type { Account, Mail } from "../../state/account.ts";
import { address } from "../address.ts";
import { Card, Empty, Facts } from "../controls/card.tsx";
import { Field } from "../controls/form.tsx";
import { Status } from "../controls/status.tsx";
import type { Html } from "../html.ts";
import { Instant } from "../instant.tsx";
import { MoneyTables } from "./money-tables.tsx";

/** What {@link AccountTab} shows. */
export interface AccountTabProps {
  readonly applicationId: string;
  readonly account: Account;
  readonly applications: readonly { readonly id: string; readonly name: string }[];
  /** The newest first. */
  readonly mails: readonly Mail[];
  readonly now: number;
}

/** The account: its applications, its money as plain records, mails to its owner, and what is announced. */
export function AccountTab(props: AccountTabProps): Html {
  const { company, ownerEmail, balance } = props.account;
  return (
    <>
      <Applications {...props} />
      <Card id="account" title="Account" lead="Plain records: nothing in the sandbox charges money.">
        <Facts
          facts={[
            ["Company", company],
            ["Owner", ownerEmail],
            ["Balance", balance],
          ]}
        />
      </Card>
      <Mails {...props} />
      <MoneyTables account={props.account} />
      <Announced />
    </>
  );
}

function Applications({ applicationId, applications }: AccountTabProps): Html {
  return (
    <Card
      id="applications"
      title="Applications"
      lead="Each has its own key, signing secret, inbox, clock and faults; they never see each other."
    >
      <ul class="items">
        {applications.map(({ id, name }) => (
          <li id={`application-${id}`}>
            <a href={address(id, "portal")}>
              <strong>{name}</strong>
            </a>
            <code class="text">{id}</code>
            {id === applicationId && <Status tone="quiet">Shown now</Status>}
          </li>
        ))}
      </ul>
      <form method="post" action="/applications" class="fields">
        <Field label="Name">
          <input type="text" name="name" required maxlength={80} placeholder="Shop, staging" autocomplete="off" />
        </Field>
        <p class="act">
          <button type="submit" class="primary">
            Create application
          </button>
        </p>
      </form>
    </Card>
  );
}

function Mails({ mails, now }: AccountTabProps): Html {
  return (
    <Card id="mails" title="Mails to the owner" lead="They leave the sandbox on no other way.">
      {mails.length === 0 && <Empty>No mail was sent.</Empty>}
      <ul class="items">
        {mails.map(({ id, to, subject, text, sentAt }) => (
          <li id={`mail-${id}`}>
            <div class="mail">
              <p class="row">
                <strong>{subject}</strong>
                <span class="soft">to {to}</span>
                <span class="push" />
                <Instant at={sentAt} now={now} />
              </p>
              <pre>{text}</pre>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const announced = [
  ["2-way messages", "receive SMS and WhatsApp messages and reply from rented numbers"],
  ["Numbers API", "rent local, mobile and toll-free numbers in more than 100 countries"],
  ["Click to Call", "bridge two parties in a call from a single request"],
  ["SIP trunks", "terminate and originate voice over SIP"],
] as const;

/** @see "What the service does" of the specification */
function Announced(): Html {
  return (
    <Card
      id="announced"
      title="Announced products"
      lead="Announced for Q3 2026. No interface is described, so the sandbox invents none."
    >
      <ul class="items">
        {announced.map(([name, does]) => (
          <li>
            <strong>{name}</strong>
            <span class="text">{does}</span>
            <Status tone="quiet">Announced</Status>
          </li>
        ))}
      </ul>
    </Card>
  );
}
