import type { ActionEntry, WebhookEntry } from "../figures/entries.ts";
import type { Html } from "../page/elements.tsx";
import { instantText } from "../page/format.ts";
import { Status } from "../page/icon.tsx";

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
export function courseOf({ key, entry, isDead, actions, now }: WebhookCourse): Html {
  const action = lastAction(key, entry, actions);
  const by = (verb: string) => (action ? `${verb} by ${action.operator} at ${instantText(action.at, now)}` : "");
  const replayed = (outcome: string) => (action?.action === "replay" ? `${by("Replayed")}: ${outcome}` : "");
  const { outcome } = entry;
  if (isDead)
    return (
      <>
        <Status tone="bad">Dead letter</Status> {replayed("failed again")}
      </>
    );
  if (outcome === "handled")
    return (
      <>
        <Status tone="good">Handled</Status> {replayed("handled")}
      </>
    );
  if (outcome === "overtaken") return <Status tone="good">Overtaken: a newer one was handled</Status>;
  if (action?.action === "drop")
    return (
      <>
        <Status tone="quiet">Dropped</Status> {by("Dropped")}
      </>
    );
  if (outcome === "failed") return <Status tone="warn">To be retried</Status>;
  return (
    <>
      <Status tone="quiet">No dead letter any more</Status> {replayed("not finished yet")}
    </>
  );
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
      outcome === "done" &&
      (target === key || (target === error && deadAt !== undefined && at >= deadAt)),
  );
}
