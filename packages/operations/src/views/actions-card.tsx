import type { Figures } from "../figures/figures.ts";
import { Card, type Html, nothing, Table } from "../page/elements.tsx";
import { instantText, wordsOf } from "../page/format.ts";
import { shortKey } from "./short-key.ts";

/** Shows what operators did in the period. */
export function actionsCard({ actions }: Pick<Figures, "actions">, now: number): Html {
  if (actions.length === 0) return nothing;
  return (
    <Card id="actions" title="What operators did" lead={'Your app has each of them as the event "operator.acted".'}>
      <Table
        label="What operators did"
        columns={["When", "Operator", "Action", "Of", "Outcome"]}
        rows={actions.map(({ at, operator, action, target, outcome }) => [
          instantText(at, now),
          operator,
          wordsOf(action),
          target === undefined ? "" : shortKey(target),
          outcome,
        ])}
      />
    </Card>
  );
}
