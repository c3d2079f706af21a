import type { DeadLetter } from "@doorcode/core";
import { doorcodeParts, scheduleInBackground } from "@doorcode/core/adapter";
import { digestOfError } from "../masked.ts";
import { countText } from "../page/format.ts";
import type { PageContext } from "../page-context.ts";
import { errorText, maxLetters } from "../views/dead-letters.tsx";
import { isEventKey, shortKey } from "../views/short-key.ts";
import type { Action, ActionOutcome, Form } from "./action.ts";

/** Returns the dead letter of a form, or all of its error. */
async function lettersOf({ doorcode }: PageContext, { key, error }: Form): Promise<readonly DeadLetter[]> {
  const letters = await doorcode.deadLetters.list({ limit: maxLetters });
  return letters.filter((letter) =>
    key === undefined ? digestOfError(errorText(letter)) === error : letter.key === key,
  );
}

/** What an action did with one dead letter after the other. */
interface Acted {
  readonly done: number;
  readonly outcome: ActionOutcome;
}

async function actOnAll(
  context: PageContext,
  form: Form,
  act: (key: string) => Promise<boolean>,
  past: string,
): Promise<Acted> {
  const letters = await lettersOf(context, form);
  let done = 0;
  for (const { key } of letters) if (await act(key)) done += 1;
  const [first] = letters;
  // Any other text may be a phone number.
  const target = isEventKey(form.key) ? form.key : first && errorText(first);
  const text =
    done === 0
      ? "There is no such dead letter: it was replayed or dropped before."
      : `${done === 1 ? "1 dead letter was" : `${countText(done)} dead letters were`} ${past}.`;
  return { done, outcome: { outcome: done === 0 ? "unchanged" : "done", target, text } };
}

async function nameOf(context: PageContext, form: Form): Promise<string> {
  const letters = await lettersOf(context, form);
  if (form.key !== undefined)
    return isEventKey(form.key) ? `the event ${shortKey(form.key)}` : "an event that has no key";
  return letters.length === 1 ? "1 dead letter" : `${countText(letters.length)} dead letters`;
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

/** Replays dead letters, and waits a moment for what the workers of this process make of them. */
async function replayAndWait(context: PageContext, form: Form): Promise<ActionOutcome> {
  const { deadLetters, [doorcodeParts]: parts } = context.doorcode;
  const waiting = new Set<string>();
  const ended = { handled: 0, failed: 0 };
  const all = Promise.withResolvers<void>();
  const stopListening = parts.listen((event) => {
    if (event.type !== "webhook.handled" && event.type !== "webhook.failed") return;
    if (!waiting.delete(event.key)) return;
    ended[event.type === "webhook.handled" ? "handled" : "failed"] += 1;
    if (waiting.size === 0) all.resolve();
  });
  try {
    const replay = async (key: string) => {
      // A worker may be done before the inbox answers.
      waiting.add(key);
      const isReplayed = await deadLetters.replay(key);
      if (!isReplayed) waiting.delete(key);
      return isReplayed;
    };
    const { done, outcome } = await actOnAll(context, form, replay, "replayed");
    if (done === 0) return outcome;
    const cancel = scheduleInBackground(parts.clock, maxWaitMilliseconds, all.resolve);
    if (waiting.size > 0) await all.promise;
    cancel();
    const { handled, failed } = ended;
    const rest =
      waiting.size === 0 ? "" : ` ${countText(waiting.size)} not finished yet: Webhooks shows what becomes of them.`;
    return {
      ...outcome,
      text: `${outcome.text} ${countText(handled)} handled, ${countText(failed)} failed again.${rest}`,
    };
  } finally {
    stopListening();
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
  run: async (context, form) => {
    const { deadLetters } = context.doorcode;
    return (await actOnAll(context, form, (key) => deadLetters.discard(key), "dropped")).outcome;
  },
};
