import { afterAll, test } from "vitest";
import { findPostgres, startPglite } from "../support/postgres-server.ts";
import { compareWithMemory } from "./model.ts";
import { setUpStore } from "./postgres-setup.ts";

const servers = [await startPglite(), await findPostgres()].filter((server) => server !== undefined);
afterAll(async () => {
  for (const server of servers) await server.close();
});

test.each(servers)("$name answers every call as the memory store does", { timeout: 180_000 }, async ({ url }) => {
  const { store, advance, pool, table } = await setUpStore(url);
  await compareWithMemory({
    store,
    clear: () => pool.query(`DELETE FROM ${table}`),
    advance,
    removeExpired: () => store.removeExpired(),
  });
});
