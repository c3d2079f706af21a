import type { InboxEntry } from "@doorcode/core/inbox";
import { createBatches } from "../connection/batches.ts";
import type { Runner, Statement } from "../connection/run-statement.ts";
import { toColumn } from "../table/text.ts";
import { openSeconds, secondsFromNow } from "./entry-times.ts";

/** An entry as its columns have it. */
interface AddCall {
  readonly writtenKeys: readonly [string];
  readonly body: string;
}

/** Hundreds of larger bodies would be one statement of many megabytes. */
const maxSharedLength = 65_536;

/**
 * Creates the function that adds entries. Entries that are added at once are added by one statement. A known key changes nothing: an
 * open entry, a completed one that is still kept, or a dead letter.
 *
 * @param name - the name of the table, quoted for SQL.
 */
export function createAddEntry(
  { runBefore, run, startDeadline }: Runner,
  name: string,
): (entry: InboxEntry) => Promise<void> {
  const text = `INSERT INTO ${name} (key, body, due_at, expires_at)
SELECT key, body, clock_timestamp(), ${secondsFromNow(`${openSeconds}`)}
FROM unnest($1::text[], $2::text[]) AS added (key, body) ORDER BY key COLLATE "C" ON CONFLICT (key) DO NOTHING`;
  const statement = (calls: readonly AddCall[]): Statement => ({
    text,
    values: [calls.map(({ writtenKeys: [key] }) => key), calls.map(({ body }) => body)],
  });
  const add = createBatches<AddCall, void>({
    startDeadline,
    async carryOut(calls, deadline) {
      await runBefore(deadline, statement(calls));
      return [];
    },
  });
  return async ({ key, body }) => {
    const call: AddCall = { writtenKeys: [key], body: toColumn(body) };
    if (body.length > maxSharedLength) await run(statement([call]));
    else await add(call);
  };
}
