import type { Account, Mail } from "../../state/account.ts";
import { Card, EmptyNote, Facts, type Html } from "../components/elements.tsx";
import { Instant, Status } from "../components/status.tsx";

interface AccountTabProps {
  readonly account: Account;
  readonly mails: readonly Mail[];
  readonly now: number;
}

/** Shows the records of the account, the mails to its owner, and the announced products. */
export function AccountTab({ account, mails, now }: AccountTabProps): Html {
  const { company, ownerEmail, balance } = account;
  return (
    <>
      <Card id="account" title="Account" lead="These are records only. The sandbox never charges money.">
        <Facts
          facts={[
            ["Company", company],
            ["Owner", ownerEmail],
            ["Balance", balance],
          ]}
        />
      </Card>
      <Mails mails={mails} now={now} />
      <MoneyTables account={account} />
      <AnnouncedProducts />
    </>
  );
}

function Mails({ mails, now }: Omit<AccountTabProps, "account">): Html {
  return (
    <Card id="mails" title="Mails to the owner" lead="The sandbox stores these mails and never sends them.">
      {mails.length === 0 && <EmptyNote>No mail was sent.</EmptyNote>}
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

const announcedProducts = [
  ["2-way messages", "receive SMS and WhatsApp messages and reply from rented numbers"],
  ["Numbers API", "rent local, mobile and toll-free numbers in more than 100 countries"],
  ["Click to Call", "connect two people in a call with one request"],
  ["SIP trunks", "terminate and originate voice over SIP"],
] as const;

/** @see "What the service does" of the specification */
function AnnouncedProducts(): Html {
  return (
    <Card
      id="announced"
      title="Announced products"
      lead="Announced for Q3 2026. Their interfaces are not described yet, so the sandbox does not have them."
    >
      <ul class="items">
        {announcedProducts.map(([name, description]) => (
          <li>
            <strong>{name}</strong>
            <span class="text">{description}</span>
            <Status tone="quiet">Announced</Status>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function MoneyTables({ account: { pricing, invoices } }: { readonly account: Account }): Html {
  return (
    <div class="split">
      <Card id="pricing" title="Pricing">
        <Table
          heads={["Product", "Unit", "Price"]}
          rows={pricing.map(({ product, unit, amount }) => [product, unit, amount])}
        />
      </Card>
      <Card id="invoices" title="Invoices">
        <Table
          heads={["Number", "Issued", "Amount"]}
          rows={invoices.map(({ number, issuedOn, amount }) => [number, issuedOn, amount])}
        />
      </Card>
    </div>
  );
}

interface TableProps {
  readonly heads: readonly [string, string, string];
  readonly rows: readonly (readonly [string, string, string])[];
}

/** The last column holds amounts. */
function Table({ heads, rows }: TableProps): Html {
  const look = (index: number) => (index === 2 ? "amount" : undefined);
  return (
    <table>
      <thead>
        <tr>
          {heads.map((head, index) => (
            <th scope="col" class={look(index)}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map((cell, index) => (
              <td class={look(index)}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
