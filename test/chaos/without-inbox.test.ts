import { test } from "vitest";
import { isInstalled } from "../support/redis-server.ts";
import { performChaos, sizeOf, timeout } from "./perform.ts";
import { startRedisStore } from "./store.ts";

test.skipIf(!isInstalled("redis-server"))(
  "an app without an inbox, whose handlers run before the answer, loses no event while its processes and Redis are killed",
  { timeout },
  async () => {
    await performChaos("Chaos on Redis, without an inbox", {
      size: sizeOf(0.2),
      durable: false,
      startStore: startRedisStore,
    });
  },
);
