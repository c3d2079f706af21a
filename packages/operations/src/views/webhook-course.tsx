import type { ActionEntry, WebhookEntry } from "../figures/entries.ts";
import type { Html } from "../page/elements.tsx";
import { instantText } from "../page/format.ts";
import { Status, type Tone } from "../page/icon.tsx";

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
  const { key, entry, isDead, actions, now } = course;
  const action = lastAction(key, entry, actions);
  const isDropped = !isDead && action?.action === "drop" && entry.outcome === "dead_lettered";
  const [tone, label, replayed] = isDropped ? dropped : outcomeOf(course);
  const verb = isDropped ? "Dropped" : "Replayed";
  const by = action && (isDropped || action.action === "replay");
  return (
    <>
      <Status tone={tone}>{label}</Status>
      {by && ` ${verb} by ${action.operator} at ${instantText(action.at, now)}${replayed && `: ${replayed}`}`}
    </>
  );
}

type Outcome = readonly [tone: Tone, label: string, replayed: string];

const dropped: Outcome = ["quiet", "Dropped", ""];

/** Only the inbox knows whether an event is a dead letter now. */
function outcomeOf({ entry, isDead }: Pick<WebhookCourse, "entry" | "isDead">): Outcome {
  if (isDead) return ["bad", "Dead letter", "failed again"];
  switch (entry.outcome) {
    case "handled":
      return ["good", "Handled", "handled"];
    case "overtaken":
      return ["good", "Overtaken: a newer one was handled", "overtaken"];
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
