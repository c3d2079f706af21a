import { checkSeconds, checkTexts } from "@doorcode/core/store";
import type { ClientBase } from "pg";
import { createBatches } from "../connection/batches.ts";
import { type Runner, runOnClient, type Statement } from "../connection/run-statement.ts";
import type { Table } from "../table/table.ts";
import { readKey, toColumn, toKey } from "../table/text.ts";

/** Options of a settlement. */
export interface SettleOptions {
  /** The lifetime of the entry from now on. */
  readonly ttlSeconds: number;
  /** Keeps the lease. */
  readonly hold?: boolean;
  /**
   * Your client inside a transaction: the entry changes when the transaction commits, and not if it rolls back. Settle last and
   * commit at once, because other callers that need the key wait for the end of the transaction.
   */
  readonly client?: ClientBase;
}

/** Settles a key, and resolves to whether its token was that of the last holder. */
type SettleKey = (key: string, token: string, value: string | undefined, options: SettleOptions) => Promise<boolean>;

/** A settlement, as its columns have it. */
interface SettleCall {
  readonly writtenKeys: readonly [string];
  readonly holder: string;
  readonly value: string | null;
  readonly ttlSeconds: number;
  readonly hold: boolean;
}

/** Creates the function that settles. Keys that are settled at once are settled by one statement, as leases are taken. */
export function createSettleKey({ run, runBefore, startDeadline }: Runner, table: Table): SettleKey {
  const several = writeSettlements(table);
  const settle = createBatches<SettleCall, boolean>({
    startDeadline,
    async carryOut(calls, deadline) {
      const rows = await runBefore(deadline, { text: several, values: columnsOf(calls) });
      const settled = new Set(rows.map(({ key }) => key));
      // The row of the others is in another transaction, or has another holder.
      return calls.map(({ writtenKeys: [key] }) => settled.has(key ?? null) || undefined);
    },
    async carryOutAlone(call, deadline) {
      return (await runBefore(deadline, settleOne(table, call))).length === 1;
    },
  });
  return async (key, token, value, { ttlSeconds, hold = false, client }) => {
    checkTexts(key, token, value);
    checkSeconds(ttlSeconds);
    const column = value === undefined ? null : toColumn(value);
    const call: SettleCall = { writtenKeys: [toKey(key)], holder: toColumn(token), value: column, ttlSeconds, hold };
    if (client) return (await runOnClient(client, settleOne(table, call))).length === 1;
    if (deletes(call)) return (await run(settleOne(table, call))).length === 1;
    return settle(call);
  };
}

function deletes({ value, hold }: SettleCall): boolean {
  return value === null && !hold;
}

/** Writes the statement that settles one key. It returns a row when it settled. */
function settleOne({ name }: Table, call: SettleCall): Statement {
  const { writtenKeys, holder, value, ttlSeconds, hold } = call;
  const isHeld = "key_digest = $1::uuid AND holder = $2::text AND expires_at > clock_timestamp()";
  const lease = [...writtenKeys, holder];
  if (deletes(call)) return { text: `DELETE FROM ${name} WHERE ${isHeld} RETURNING key_digest`, values: lease };
  return {
    text: `UPDATE ${name} SET value = $3::text, expires_at = clock_timestamp() + $4::float8 * interval '1 second',
  holder = CASE WHEN $5::boolean THEN holder END, leased_until = CASE WHEN $5::boolean THEN leased_until END
WHERE ${isHeld} RETURNING key_digest`,
    values: [...lease, value, ttlSeconds, hold],
  };
}

/**
 * Writes the text that settles several keys. It waits for no row. One that was changed meanwhile is left out: the statement does not
 * see it at its new place.
 */
function writeSettlements({ name }: Table): string {
  return `WITH held AS MATERIALIZED (
  SELECT entry.ctid AS place, asked.*
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::float8[], $5::boolean[]) AS asked (key, holder, value, ttl, hold)
  JOIN ${name} AS entry
    ON entry.key_digest = asked.key AND entry.holder = asked.holder AND entry.expires_at > clock_timestamp()
  FOR UPDATE OF entry SKIP LOCKED
)
UPDATE ${name} AS entry SET value = held.value, expires_at = clock_timestamp() + ttl * interval '1 second',
  holder = CASE WHEN hold THEN entry.holder END, leased_until = CASE WHEN hold THEN entry.leased_until END
FROM held WHERE entry.ctid = held.place RETURNING ${readKey("entry.key_digest")} AS key`;
}

function columnsOf(calls: readonly SettleCall[]): readonly unknown[] {
  return [
    calls.map(({ writtenKeys: [key] }) => key),
    calls.map(({ holder }) => holder),
    calls.map(({ value }) => value),
    calls.map(({ ttlSeconds }) => ttlSeconds),
    calls.map(({ hold }) => hold),
  ];
}
