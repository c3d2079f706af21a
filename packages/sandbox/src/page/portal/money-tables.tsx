import type { Account } from "../../state/account.ts";
import { Card } from "../controls/card.tsx";
import type { Html } from "../html.ts";

/** Pricing and invoices of the account. */
export function MoneyTables({ account: { pricing, invoices } }: { readonly account: Account }): Html {
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

/** The last column is an amount. */
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
