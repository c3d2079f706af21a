import { expect, test } from "vitest";
import { takeLease } from "../../src/store/lease.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { createManualClock } from "../../src/testing.ts";

test.each([
  ["renewed", false],
  ["lost", true],
])(
  "a lease that was %s after its renewals had stopped is renewed no more, and aborts nothing",
  async (_how, isLost) => {
    const clock = createManualClock();
    const memory = createMemoryStore({ clock });
    const answer = Promise.withResolvers<void>();
    let isGated = false;
    const store: typeof memory = {
      ...memory,
      async lease(...args) {
        if (isGated) await answer.promise;
        return isGated && isLost ? { held: false, value: undefined } : memory.lease(...args);
      },
    };
    const lease = await takeLease(store, "key", { clock, leaseSeconds: 15, ttlSeconds: 600 });
    if (!lease.held) throw new TypeError("The key is not free.");
    isGated = true;
    const renewal = lease.keepAlive(60);
    await clock.advance(5000);
    renewal.stop();
    answer.resolve();
    await clock.advance(120_000);

    expect([renewal.signal.aborted, clock.pending]).toEqual([false, 0]);
  },
);
