import { createMemoryStore } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createCounters } from "../../src/limits/counters.ts";
import type { CountedLogin } from "../../src/limits/decision.ts";
import { loginLimitsShape } from "../../src/limits/login-limits.ts";
import { countConfirmed, giveBackCode, reserveCode } from "../../src/limits/send-limits.ts";

const limits = { ...loginLimitsShape.parse({ cooldownSeconds: [] }), mode: "enforce" } as const;

/** What happens next: so many people of a block ask at once, or one of them enters the code. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant("ask" as const), people: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("enter" as const), which: fc.nat() }) },
);

test("no order of logins, at once or one after the other, lets more of a block through than its limit", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = createManualClock(Date.UTC(2026, 8, 24));
      const store = createMemoryStore({ clock });
      const keys = { fingerprint: (text: string) => text };
      const deps = { name: "app", store, counters: createCounters({ store, clock }), clock, keys, limits };
      const waiting: { readonly phone: string; readonly counted: CountedLogin }[] = [];
      let [asked, sent, entered] = [0, 0, 0];

      async function ask(): Promise<void> {
        const index = asked++;
        const phone = `+4915123${String(index).padStart(4, "0")}`;
        const client = { address: `address-${index}`, network: `network-${index}` };
        const reserved = await reserveCode(deps, { phone, country: "DE", client });
        if (reserved.refused) return giveBackCode(deps, reserved);
        sent++;
        waiting.push({ phone, counted: reserved.counted });
      }

      for (const next of steps) {
        if (next.what === "ask") {
          await Promise.all(Array.from({ length: next.people }, ask));
        } else {
          const [login] = waiting.splice(next.which % Math.max(1, waiting.length), 1);
          if (!login) continue;
          entered++;
          await countConfirmed(deps, login.phone, login.counted, { deviceDigest: "device" });
        }
        // Each code that is entered makes room for itself and one more.
        expect(sent).toBeLessThanOrEqual(6 + 2 * entered);
        expect(entered).toBeLessThanOrEqual(12 + 6);
      }
    }),
    { numRuns: 200 },
  );
});
