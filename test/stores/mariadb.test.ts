import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { createManualClock } from "@doorcode/core/testing";
import { createPool, type Pool, type PoolOptions, type RowDataPacket } from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createMariadbStore } from "../../examples/mariadb-store/mariadb-store.ts";
import { createTable, removeExpired } from "../../examples/mariadb-store/rows.ts";
import { findMariadb } from "../support/mariadb-server.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { testClockSkew, testConformance, testConnectionLoss, testLifetimes, testRealTime } from "./conformance.ts";

const url = (await findMariadb()) ?? "";

describe.skipIf(url === "")("the store of examples/mariadb-store", () => {
  const database = `doorcode_test_${randomUUID().replaceAll("-", "")}`;
  const admin = createPool({ uri: url, connectionLimit: 1 });
  const open = (options: PoolOptions = {}): Pool => createPool({ uri: url, ...options, database });
  const pool = open();
  const store = createMariadbStore(pool, { timeoutSeconds: 20 });
  beforeAll(async () => {
    await admin.query(`CREATE DATABASE ${database}`);
    await pool.query(createTable);
  });
  afterAll(async () => {
    await store.close();
    await pool.end();
    await admin.query(`DROP DATABASE ${database}`);
    await admin.end();
  });

  /** Lets time pass for every entry, by moving all its instants back. */
  async function advance(milliseconds: number): Promise<void> {
    await pool.query(
      `UPDATE doorcode_entries SET expires_at = expires_at - ?,
         entry = JSON_SET(entry, '$.expiresAt', expires_at, '$.leasedUntil', JSON_VALUE(entry, '$.leasedUntil') - ?)`,
      [milliseconds, milliseconds],
    );
  }

  const setup = { store: () => store, advance };
  testConformance(setup);
  testClockSkew(setup);
  testRealTime(() => store);
  testLifetimes(async () => {
    const [rows] = await pool.query<RowDataPacket[]>("SELECT expires_at FROM doorcode_entries");
    return rows.map((row) => row.expires_at);
  });
  testConnectionLoss(async () => {
    const proxy = await startTcpProxy(url);
    onTestFinished(() => proxy.close());
    const clock = createManualClock();
    const proxied = open({ uri: proxy.url });
    const proxiedStore = createMariadbStore(proxied, { clock });
    onTestFinished(async () => {
      await proxiedStore.close();
      await proxied.end();
    });
    return { store: proxiedStore, proxies: [proxy], clock };
  });

  test("rejects without the values of a statement that fails", async () => {
    await pool.query(`CREATE TRIGGER full BEFORE UPDATE ON doorcode_entries
      FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no room'`);
    onTestFinished(async () => void (await pool.query("DROP TRIGGER full")));
    const value = "+4915112345678";
    const error = await store.put("k", value, { ttlSeconds: 60 }).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ sqlMessage: "no room" });
    for (const text of [value, Buffer.from(value).toString("hex")]) expect(inspect(error)).not.toContain(text);
  });

  test("removes at most a batch of expired entries, and none that lives", async () => {
    await pool.query("DELETE FROM doorcode_entries");
    for (const key of ["a", "b", "c"]) await store.put(key, "value", { ttlSeconds: 10 });
    await store.put("lasting", "value", { ttlSeconds: 60 });
    await advance(10_000);
    const connection = await pool.getConnection();
    onTestFinished(() => connection.release());
    expect([await removeExpired(connection, 2), await removeExpired(connection, 2)]).toEqual([2, 1]);
    expect(await store.get(["lasting"])).toEqual(["value"]);
  });
});
