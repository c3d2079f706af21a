import type { Decision } from "../../state/decision.ts";
import { Card } from "../components/card.tsx";
import type { Html } from "../components/html.ts";
import { limitText, outcomes } from "./decision-text.ts";

/** The other outcomes have a column only if there is one of them. */
const alwaysShown: readonly Decision["outcome"][] = ["allowed", "would_refuse", "refused"];

/** Shows how often each limit has decided which way. */
export function DecisionTotals({ decisions }: { readonly decisions: readonly Decision[] }): Html {
  const limits = [...new Set(decisions.flatMap(({ limit }) => limit ?? []))].sort();
  const columns = outcomes.filter(
    ([outcome]) => alwaysShown.includes(outcome) || decisions.some((decision) => decision.outcome === outcome),
  );
  return (
    <Card id="totals" title="Outcomes" lead={`Of the last ${decisions.length.toLocaleString("en")} codes.`}>
      <div class="table">
        <table>
          <thead>
            <tr>
              <th scope="col">Limit</th>
              {columns.map(([, label]) => (
                <th scope="col" class="amount">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Row label="All" decisions={decisions} columns={columns} />
            {limits.map((limit) => (
              <Row
                label={limitText(limit)}
                decisions={decisions.filter((decision) => decision.limit === limit)}
                columns={columns}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

interface RowProps {
  readonly label: string;
  readonly decisions: readonly Decision[];
  readonly columns: typeof outcomes;
}

function Row({ label, decisions, columns }: RowProps): Html {
  return (
    <tr>
      <th scope="row">{label}</th>
      {columns.map(([outcome]) => (
        <td class="amount">{decisions.filter((decision) => decision.outcome === outcome).length}</td>
      ))}
    </tr>
  );
}
