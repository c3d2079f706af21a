import { Card, EmptyNote, Facts, type Html, Status, Table } from "@doorcode/operations/page-parts";
import { Instant } from "../components/status.tsx";
import type { PageRequest } from "../request/page-request.tsx";

/** Shows the records of the account. */
export function AccountCard({ account }: PageRequest): Html {
  const { company, ownerEmail, balance } = account.get();
  const facts = [
    ["Company", company],
    ["Owner", ownerEmail],
    ["Balance", balance],
  ] as const;
  return (
    <Card id="account" title="Account" lead="These are records only. The sandbox never charges money.">
      <Facts facts={facts} />
    </Card>
  );
}

/** Shows the mails to the owner of the account, the newest first. */
export function MailsCard({ account, now }: PageRequest): Html {
  const mails = account.mails().toReversed();
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

/** Shows the announced products. @see "What the service does" of the specification */
export function AnnouncedProductsCard(): Html {
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

/** Shows the price list and the invoices of the account. */
export function MoneyCards({ account }: PageRequest): Html {
  const { pricing, invoices } = account.get();
  return (
    <div class="split">
      <Card id="pricing" title="Pricing">
        <Table
          label="Pricing"
          columns={["Product", "Unit", "#Price"]}
          rows={pricing.map(({ product, unit, amount }) => [product, unit, amount])}
        />
      </Card>
      <Card id="invoices" title="Invoices">
        <Table
          label="Invoices"
          columns={["Number", "Issued", "#Amount"]}
          rows={invoices.map(({ number, issuedOn, amount }) => [number, issuedOn, amount])}
        />
      </Card>
    </div>
  );
}
