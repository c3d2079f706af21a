import type { Decision } from "../../state/decision.ts";
import { Card } from "../components/card.tsx";
import type { Html } from "../components/html.ts";
import { limitText, outcomes } from "./decision-text.ts";

/** Shows how often each limit has decided which way. */
export function DecisionTotals({ decisions }: { readonly decisions: readonly Decision[] }): Html {
  const limits = [...new Set(decisions.flatMap(({ limit }) => limit ?? []))].sort();
  return (
    <Card id="totals" title="Outcomes" lead={`Of the last ${decisions.length.toLocaleString("en")} codes.`}>
      <div class="table">
        <table>
          <thead>
            <tr>
              <th scope="col">Limit</th>
              {outcomes.map(([, label]) => (
                <th scope="col" class="amount">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Row label="All" decisions={decisions} />
            {limits.map((limit) => (
              <Row label={limitText(limit)} decisions={decisions.filter((decision) => decision.limit === limit)} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function Row({ label, decisions }: { readonly label: string; readonly decisions: readonly Decision[] }): Html {
  return (
    <tr>
      <th scope="row">{label}</th>
      {outcomes.map(([outcome]) => (
        <td class="amount">{decisions.filter((decision) => decision.outcome === outcome).length}</td>
      ))}
    </tr>
  );
}
