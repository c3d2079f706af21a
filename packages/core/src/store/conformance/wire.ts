import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { Store } from "../store.ts";
import { freshKey, minute } from "./fresh-key.ts";
import type { ConnectionLossTools } from "./store-check.ts";

const pauseMilliseconds = 20;

/** Answers what a verb came to, and fails when it comes to nothing in time. */
export async function settles<Answer>(
  verb: () => Promise<Answer>,
  { settlesWithinSeconds }: ConnectionLossTools,
): Promise<PromiseSettledResult<Answer>> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new assert.AssertionError({ message: "A verb must settle in time, whatever happens." }));
  const timer = setTimeout(fail, settlesWithinSeconds * 1000);
  try {
    const [outcome] = await Promise.race([Promise.allSettled([verb()]), tooLate]);
    return outcome;
  } finally {
    clearTimeout(timer);
  }
}

/** Puts values that no check changes, each of them its own key, and answers the keys. */
export async function putSteady(store: Store): Promise<readonly string[]> {
  const keys = [freshKey(), freshKey(), freshKey()];
  for (const key of keys) await store.put(key, key, minute);
  return keys;
}

/** Restores the connection and waits until the store answers again, to each question what belongs to it. */
export async function goOn(store: Store, steady: readonly string[], tools: ConnectionLossTools): Promise<void> {
  await tools.connection.restore();
  // Also alone: of several connections one may be found to be lost only when it is asked.
  for (const keys of [steady, ...steady.map((key) => [key])]) {
    assert.deepEqual(await getInTime(store, keys, tools), keys, "A question must be given its own answer.");
  }
}

async function getInTime(store: Store, keys: readonly string[], tools: ConnectionLossTools) {
  const until = performance.now() + tools.settlesWithinSeconds * 1000;
  for (;;) {
    const outcome = await settles(() => store.get(keys), tools);
    if (outcome.status === "fulfilled") return outcome.value;
    assert.ok(performance.now() < until, "A store must go on by itself when the connection is back.");
    await wait(pauseMilliseconds);
  }
}
