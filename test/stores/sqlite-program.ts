import { rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "@doorcode/core/store";
import { createSqliteStore, type SqliteStore, type SqliteStoreOptions } from "@doorcode/sqlite";

/** What a test asks of the process. Each is answered by one {@link SqliteAnswer}. */
export type SqliteOrder =
  | { readonly open: SqliteStoreOptions }
  | { readonly call: Exclude<keyof Store, "close">; readonly arguments: readonly unknown[] }
  /** Counts up a pair of counters, both in one call, again and again until the process is killed. Each count is an answer. */
  | { readonly countUp: string }
  /** Begins to write, and never ends. */
  | { readonly hold: string }
  /** Writes into a file until the disk is full. */
  | { readonly fill: string }
  | { readonly remove: string };

/** The value of a call, or the code and the sentence of its error. */
export type SqliteAnswer =
  | { readonly value: unknown }
  | { readonly error: { readonly code: string | undefined; readonly message: string } };

let store: SqliteStore | undefined;
let held: DatabaseSync | undefined;

async function carryOut(order: SqliteOrder): Promise<unknown> {
  if ("open" in order) store = createSqliteStore(order.open);
  else if ("hold" in order) {
    held = new DatabaseSync(order.hold);
    held.exec("BEGIN IMMEDIATE");
  } else if ("fill" in order) fill(order.fill);
  else if ("remove" in order) rmSync(order.remove);
  else if ("countUp" in order) await countUp(order.countUp);
  else {
    const call = store?.[order.call] as ((...given: readonly unknown[]) => Promise<unknown>) | undefined;
    return call?.(...order.arguments);
  }
  return undefined;
}

async function countUp(name: string): Promise<never> {
  for (;;) {
    const changes = ["a", "b"].map((half) => ({ key: `${name} ${half}`, by: 1, ttlSeconds: 600 }));
    const [counter] = (await store?.increment(changes)) ?? [];
    await new Promise<void>((resolve) => process.send?.({ value: counter?.count }, () => resolve()));
  }
}

function fill(file: string): void {
  for (const size of [65_536, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: "a" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
}

process.on("message", (order: SqliteOrder) => {
  carryOut(order).then(
    (value) => process.send?.({ value }),
    ({ code, message }) => process.send?.({ error: { code, message } }),
  );
});
process.on("disconnect", () => process.exit());
