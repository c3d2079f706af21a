import type { ActionEntry, WebhookEntry } from "../figures/entries.ts";
import { countText, instantText } from "../page/format.ts";
import { type Html, Status, type Tone } from "../page-parts.ts";

/** A webhook that has failed, and what is known of it besides. */
export interface WebhookCourse {
  readonly key: string;
  readonly entry: WebhookEntry;
  /** Whether it is a dead letter now. */
  readonly isDead: boolean;
  /** The newest action first. */
  readonly actions: readonly ActionEntry[];
  readonly now: number;
}

/** Shows what became of a webhook after its last failure. */
export function courseOf(course: WebhookCourse): Html {
  const { key, entry, actions, now } = course;
  const action = lastAction(key, entry, actions);
  const outcome = outcomeShown(course);
  const [tone, label, replayed] = outcome;
  const isDropped = outcome === dropped;
  const verb = isDropped ? "Dropped" : "Replayed";
  const by = action && (isDropped || action.action === "replay");
  return (
    <>
      <Status tone={tone}>{label}</Status>
      {by
        ? ` ${verb} by ${action.operator} at ${instantText(action.at, now)}${replayed && `: ${replayed}`}`
        : course.isDead && " Not replayed"}
    </>
  );
}

/** Counts what became of webhooks with the same error, and says who replayed them last. */
export function coursesOf(courses: readonly WebhookCourse[]): Html {
  const byLabel = Map.groupBy(courses.map(outcomeShown), ([, label]) => label);
  const [action] = courses
    .flatMap(({ key, entry, actions }) => lastAction(key, entry, actions) ?? [])
    .sort((left, right) => right.at - left.at);
  const [first] = courses;
  return (
    <>
      <ul class="lines">
        {[...byLabel].map(([label, outcomes]) => (
          <li>
            <Status
              tone={outcomes[0]?.[0] ?? "quiet"}
            >{`${label.split(":")[0]}: ${countText(outcomes.length)}`}</Status>
          </li>
        ))}
      </ul>
      {action && first
        ? `${action.action === "drop" ? "Dropped" : "Replayed"} by ${action.operator} at ${instantText(action.at, first.now)}`
        : courses.some(({ isDead }) => isDead) && "Not replayed"}
    </>
  );
}

type Outcome = readonly [tone: Tone, label: string, replayed: string];

const dropped: Outcome = ["quiet", "Dropped", ""];

function outcomeShown(course: WebhookCourse): Outcome {
  const { key, entry, isDead, actions } = course;
  const isDropped = !isDead && entry.outcome === "dead_lettered" && lastAction(key, entry, actions)?.action === "drop";
  return isDropped ? dropped : outcomeOf(course);
}

/** Only the inbox knows whether an event is a dead letter now. */
function outcomeOf({ entry, isDead }: Pick<WebhookCourse, "entry" | "isDead">): Outcome {
  if (isDead) return ["bad", "Dead letter", "failed again"];
  switch (entry.outcome) {
    case "handled":
      return ["good", "Handled", "handled"];
    case "overtaken":
      return ["good", "Not needed: a newer one was handled", "not needed any more"];
    case "failed":
      return ["warn", "To be retried", "failed again"];
    case "dead_lettered":
      return ["quiet", "No dead letter any more", "not finished yet"];
  }
}

/** Finds the last action on the dead letter itself, or on all of its error while it was one of them. */
function lastAction(
  key: string,
  { error, deadAt }: WebhookEntry,
  actions: readonly ActionEntry[],
): ActionEntry | undefined {
  return actions.find(
    ({ at, action, outcome, target }) =>
      (action === "replay" || action === "drop") &&
      // A replay that failed was a replay.
      outcome !== "unchanged" &&
      (target === key || (target === error && deadAt !== undefined && at >= deadAt)),
  );
}
