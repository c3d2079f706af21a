import { test } from "vitest";
import { events, performChaos, sizeOf, timeout } from "./perform.ts";
import { startSqliteStore } from "./store.ts";

/** The processes share nothing but the file, so a long run kills them more often than the others do. */
const size = { ...sizeOf(0.2), ...(events > 10_000 && { kills: 20 }) };

test("an app with an inbox and transactions in a file of SQLite loses no event, and no effect is committed twice, while its processes are killed and another program holds the file", {
  timeout,
}, async () => {
  await performChaos("Chaos in a file of SQLite, with an inbox and transactions", {
    size,
    durable: true,
    startStore: startSqliteStore,
  });
});
