import { expect, test } from "vitest";
import { isInstalled } from "../support/redis-server.ts";
import { events, largestShare, performChaos, sizeOf, timeout } from "./perform.ts";
import { startRedisStore } from "./store.ts";

test.skipIf(!isInstalled("redis-server"))(
  `an app with an inbox on Redis loses none of ${events * largestShare} events, and no effect or login happens twice, while its processes and Redis are killed`,
  { timeout },
  async () => {
    const { deliveries } = await performChaos("Chaos on Redis, with an inbox", {
      size: sizeOf(largestShare),
      durable: true,
      startStore: startRedisStore,
    });
    expect(deliveries.length).toBeGreaterThanOrEqual(events * largestShare);
  },
);
