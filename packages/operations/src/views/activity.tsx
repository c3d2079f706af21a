import { readFigures } from "../figures/read-figures.ts";
import { secondText, wordsOf } from "../page/format.ts";
import type { PageContext, ShownView } from "../page-context.ts";
import { Card, Status, Table, type Tone } from "../page-parts.ts";
import { limitText } from "./limit-names.ts";
import { shortKey } from "./short-key.ts";

/** The actions as their buttons name them. */
const labels: Readonly<Record<string, string>> = {
  open_group: "Open",
  change_ceiling: "Change a ceiling",
  check_endpoint: "Check the endpoint",
  reconcile: "Reconcile",
  replay: "Replay",
  drop: "Drop",
  end_sessions: "End the sessions",
};

const tones: Readonly<Record<string, Tone>> = { done: "good", unchanged: "warn", failed: "bad" };

/** Writes what was acted on. An action on a limit begins with its kind. */
function targetText(target: string): string {
  const [kind = "", ...rest] = target.split(" ");
  return shortKey([limitText(kind), ...rest].join(" "));
}

/** Shows what operators did. */
export async function activityView(context: PageContext): Promise<ShownView> {
  const { doorcode, period } = context;
  const { actions } = (await readFigures(doorcode, period)).total;
  const lead = "Who did what on this page. Your app has each of them as the event “operator.acted”.";
  const children = (
    <Card id="actions" title="What operators did" lead="The last hundred of each day.">
      <Table
        label="What operators did"
        empty="Nobody has used a button of this page."
        columns={["When (UTC)", "Operator", "Action", "Of", "Outcome"]}
        rows={actions.map(({ at, operator, action, target = "", outcome, text }) => [
          secondText(at, context.now),
          operator,
          labels[action] ?? wordsOf(action),
          targetText(target),
          <>
            <Status tone={tones[outcome] ?? "quiet"}>{wordsOf(outcome)}</Status> {text}
          </>,
        ])}
      />
    </Card>
  );
  return { title: "Activity", lead, period, children };
}
