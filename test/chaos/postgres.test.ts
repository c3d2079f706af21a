import { test } from "vitest";
import { canStartPostgres } from "../support/postgres-server.ts";
import { performChaos, sizeOf, timeout } from "./perform.ts";
import { startPostgresStore } from "./store.ts";

test.skipIf(!canStartPostgres())(
  "an app with an inbox and transactions on PostgreSQL loses no event, and no effect is committed twice, while its processes and PostgreSQL are killed",
  { timeout },
  async () => {
    await performChaos("Chaos on PostgreSQL, with an inbox and transactions", {
      size: sizeOf(0.2),
      durable: true,
      startStore: startPostgresStore,
    });
  },
);
