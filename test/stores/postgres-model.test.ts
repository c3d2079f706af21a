import { afterAll, test } from "vitest";
import { findPostgres, startPglite } from "../support/postgres-server.ts";
import { compareWithMemory } from "./model.ts";
import { setUpStore } from "./postgres-setup.ts";

const server = (await findPostgres()) ?? (await startPglite());
afterAll(() => server.close());

test("PostgreSQL answers every call as the memory store does", { timeout: 180_000 }, async () => {
  const { store, advance, pool, table } = await setUpStore(server.url);
  await compareWithMemory({
    store,
    clear: () => pool.query(`DELETE FROM ${table}`),
    advance,
    removeExpired: () => store.removeExpired(),
  });
});
