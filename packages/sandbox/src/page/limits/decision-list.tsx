import type { Decision } from "../../state/decision.ts";
import { Card } from "../components/card.tsx";
import type { Html } from "../components/html.ts";
import { Instant } from "../components/instant.tsx";
import { Status } from "../components/status.tsx";
import { circumstances, limitText, outcomes, reasonText } from "./decision-text.ts";

/** The properties of {@link DecisionList}. */
export interface DecisionListProps {
  /** The decisions to show, the newest first. */
  readonly decisions: readonly Decision[];
  /** Now, in Unix milliseconds on the application's clock. */
  readonly now: number;
}

/** Shows the last decisions. */
export function DecisionList({ decisions, now }: DecisionListProps): Html {
  return (
    <Card id="decisions" title="Last decisions">
      <ul class="items">
        {decisions.map((decision) => (
          <Item decision={decision} now={now} />
        ))}
      </ul>
    </Card>
  );
}

function Item({ decision, now }: { readonly decision: Decision; readonly now: number }): Html {
  const { id, at, outcome, country, limit } = decision;
  const [, label = outcome, tone = "quiet"] = outcomes.find(([each]) => each === outcome) ?? [];
  const reasons = [reasonText(decision) ?? [], country || "no country", circumstances(decision)].flat();
  return (
    <li id={`decision-${id}`}>
      <Status tone={tone}>{label}</Status>
      {limit !== undefined && <strong>{limitText(limit)}</strong>}
      <span class="text">{reasons.join(" · ")}</span>
      <Instant at={at} now={now} />
    </li>
  );
}
