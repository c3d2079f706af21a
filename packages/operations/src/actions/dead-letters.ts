import type { DeadLetter } from "@doorcode/core";
import { doorcodeParts, scheduleInBackground } from "@doorcode/core/adapter";
import { errorText } from "../figures/entries.ts";
import { digestOfError } from "../masked.ts";
import { agoText, countText, nounText } from "../page/format.ts";
import type { PageContext } from "../page-context.ts";
import { maxLetters } from "../views/dead-letters.tsx";
import { isEventKey, shortKey } from "../views/short-key.ts";
import type { Action, ActionOutcome, Form } from "./action.ts";

/**
 * Returns the dead letter of a form, or those of its error: the oldest ones, which come first, if there are more than one action may change.
 * An inbox knows no errors and lists the newest first, so all of them are read. An outage may leave thousands.
 */
async function lettersOf({ doorcode }: PageContext, { key, error }: Form): Promise<readonly DeadLetter[]> {
  const { deadLetters } = doorcode;
  if (key !== undefined) return deadLetters.find([key]);
  const { dead } = await deadLetters.counts();
  const letters = await deadLetters.list({ limit: Math.max(1, dead) });
  return letters.filter((letter) => digestOfError(errorText(letter.error)) === error).slice(-maxLetters);
}

/**
 * Changes one dead letter of a form after the other, the oldest first: replayed events of one message are handled in that order, and a newer
 * status must not be overwritten. Without any the outcome is that there was nothing to do.
 *
 * @param change - returns false for a dead letter that is gone.
 * @param participle - what was done, in the sentence of the outcome: `replayed`.
 */
async function changeLetters(
  context: PageContext,
  form: Form,
  change: (key: string) => Promise<boolean>,
  participle: string,
): Promise<ActionOutcome> {
  const letters = await lettersOf(context, form);
  let done = 0;
  for (const { key } of letters.toReversed()) if (await change(key)) done += 1;
  const [first] = letters;
  // Any other text may be a phone number.
  const target = isEventKey(form.key) ? form.key : first && errorText(first.error);
  if (done === 0)
    return { outcome: "unchanged", target, text: "There is no such dead letter: it was replayed or dropped before." };
  return {
    outcome: "done",
    target,
    text: `${nounText(done, "dead letter")} ${done === 1 ? "was" : "were"} ${participle}.`,
  };
}

async function nameOf(context: PageContext, form: Form): Promise<string> {
  const letters = await lettersOf(context, form);
  if (form.key !== undefined)
    return isEventKey(form.key) ? `the event ${shortKey(form.key)}` : "an event that has no key";
  const [newest] = letters;
  if (!newest) return "0 dead letters";
  const count = nounText(letters.length, "dead letter");
  return `${count} of “${errorText(newest.error)}”, the newest of ${agoText(newest.failedAt.getTime(), context.now)}`;
}

/** Has dead letters handled again. */
export const replayLetters: Action = {
  name: "replay",
  view: "dead-letters",
  ask: async (context, form) => ({
    question: `Replay ${await nameOf(context, form)}? The handler runs again.`,
    yes: "Replay",
  }),
  run: replayAndWait,
};

const maxWaitMilliseconds = 5000;
const retried = "What failed is tried again, and is a dead letter again if it goes on failing.";

/** Replays dead letters, and waits a moment for what the workers of this process make of them. */
async function replayAndWait(context: PageContext, form: Form): Promise<ActionOutcome> {
  const { deadLetters, [doorcodeParts]: parts } = context.doorcode;
  const open = new Set<string>();
  const ended = { handled: 0, failed: 0 };
  const all = Promise.withResolvers<void>();
  const stopListening = parts.listen((event) => {
    // An event that no handler can take is a dead letter again without a failure.
    const isFailure = event.type === "webhook.failed" || event.type === "webhook.dead_lettered";
    if ((event.type !== "webhook.handled" && !isFailure) || !open.delete(event.key)) return;
    ended[isFailure ? "failed" : "handled"] += 1;
    if (open.size === 0) all.resolve();
  });
  const cancel = scheduleInBackground(parts.clock, maxWaitMilliseconds, all.resolve);
  try {
    const outcome = await changeLetters(context, form, replayOne, "replayed");
    if (outcome.outcome === "unchanged") return outcome;
    if (open.size > 0) await all.promise;
    const rest = open.size > 0 ? ` ${countText(open.size)} not finished yet: Webhooks shows what becomes of them.` : "";
    const { handled, failed } = ended;
    const text = `${outcome.text} ${countText(handled)} handled, ${countText(failed)} failed again.${rest}`;
    if (failed === 0) return { ...outcome, text };
    return handled === 0
      ? { ...outcome, outcome: "failed", text: `${text} The cause is not mended. ${retried}` }
      : { ...outcome, caution: "Partly.", text: `${text} ${retried}` };
  } finally {
    cancel();
    stopListening();
  }

  async function replayOne(key: string): Promise<boolean> {
    // A worker may be done before the inbox answers.
    open.add(key);
    const isReplayed = await deadLetters.replay(key);
    if (!isReplayed) open.delete(key);
    return isReplayed;
  }
}

/** Drops dead letters. */
export const dropLetters: Action = {
  name: "drop",
  view: "dead-letters",
  ask: async (context, form) => ({
    question: `Drop ${await nameOf(context, form)}? What the service said is lost, and nothing handles it.`,
    yes: "Drop",
  }),
  run: (context, form) => changeLetters(context, form, (key) => context.doorcode.deadLetters.discard(key), "dropped"),
};
