import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { Store } from "@doorcode/core/store";
import { freshKey, minute } from "./fresh-key.ts";
import type { ConnectionLossTools } from "./store-check.ts";

const pauseMilliseconds = 20;

/** Returns the outcome of a call. Fails if the call does not settle in time. */
export async function settleInTime<Answer>(
  call: () => Promise<Answer>,
  { settlesWithinSeconds }: ConnectionLossTools,
): Promise<PromiseSettledResult<Answer>> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new assert.AssertionError({ message: "Every call must settle in time." }));
  const timer = setTimeout(fail, settlesWithinSeconds * 1000);
  try {
    const [outcome] = await Promise.race([Promise.allSettled([call()]), tooLate]);
    return outcome;
  } finally {
    clearTimeout(timer);
  }
}

/** Puts probes: keys whose value is the key itself, and which no check changes. Returns the keys. */
export async function putProbes(store: Store): Promise<readonly string[]> {
  const keys = [freshKey(), freshKey(), freshKey()];
  for (const key of keys) await store.put(key, key, minute);
  return keys;
}

/** Restores the connection and waits until the store answers again. Each probe must get its own answer. */
export async function recover(store: Store, probes: readonly string[], tools: ConnectionLossTools): Promise<void> {
  await tools.connection.restore();
  // Also one by one: a store with several connections may notice only on use that one of them is lost.
  for (const keys of [probes, ...probes.map((key) => [key])]) {
    assert.deepEqual(await getInTime(store, keys, tools), keys, "Each call must get its own answer.");
  }
}

async function getInTime(store: Store, keys: readonly string[], tools: ConnectionLossTools) {
  const until = performance.now() + tools.settlesWithinSeconds * 1000;
  for (;;) {
    const outcome = await settleInTime(() => store.get(keys), tools);
    if (outcome.status === "fulfilled") return outcome.value;
    assert.ok(performance.now() < until, "The store must recover by itself when the connection is back.");
    await wait(pauseMilliseconds);
  }
}
