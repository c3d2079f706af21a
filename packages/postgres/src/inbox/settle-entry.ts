import type { ErrorSummary, InboxVerdict } from "@doorcode/core/inbox";
import { createBatches } from "../connection/batches.ts";
import type { Runner } from "../connection/run-statement.ts";
import { openSeconds, secondsFromNow } from "./entry-times.ts";
import type { HeldEntry, InboxDeps } from "./inbox-entries.ts";

/** Carries out the verdict on an entry. */
export type SettleEntry = (held: HeldEntry, verdict: InboxVerdict) => Promise<void>;

/** An entry with its holder and its outcome. */
interface SettleCall {
  readonly writtenKeys: readonly [string];
  readonly holder: string;
  readonly outcome: Outcome;
}

/**
 * Creates the function that carries out verdicts. Verdicts that are given at once are carried out by one statement.
 *
 * It rejects when the verdict comes too late, because another worker has taken the entry over: it changes nothing then.
 */
export function createSettleEntry({ runBefore, startDeadline }: Runner, deps: InboxDeps): SettleEntry {
  const [one, several] = [settleOne(deps.name), settleSeveral(deps.name)];
  const settle = createBatches<SettleCall, boolean>({
    startDeadline,
    async carryOut(calls, deadline) {
      const columns = calls.map(columnsOf);
      const values = columns[0]?.map((_, index) => columns.map((column) => column[index])) ?? [];
      const rows = await runBefore(deadline, { text: several, values });
      const settled = new Set(rows.map(({ key }) => key));
      // The row of the others is being renewed, or has another holder.
      return calls.map(({ writtenKeys: [key] }) => settled.has(key) || undefined);
    },
    async carryOutAlone(call, deadline) {
      return (await runBefore(deadline, { text: one, values: columnsOf(call) })).length === 1;
    },
  });
  return async ({ entry, holder }, verdict) => {
    const outcome = outcomeOf(deps, verdict, entry.failures);
    const isSettled = await settle({ writtenKeys: [entry.key], holder, outcome });
    if (!isSettled) throw new LateVerdict(deps.takeOverSeconds);
  };
}

/** The values of a verdict, in the order of the parameters. */
function columnsOf({ writtenKeys: [key], holder, outcome }: SettleCall): readonly unknown[] {
  const { state, dueSeconds, keepSeconds, failures, error } = outcome;
  return [key, holder, state, dueSeconds ?? null, keepSeconds, failures, error ? JSON.stringify(error) : null];
}

const settled = "holder = NULL, deaths = 0, settled_at = clock_timestamp()";

function settleOne(name: string): string {
  return `UPDATE ${name} SET ${settled}, state = $3::text, due_at = ${secondsFromNow("$4")},
  expires_at = ${secondsFromNow("$5")}, failures = $6::integer, error = $7::text
WHERE key = $1::text AND holder = $2::text RETURNING key`;
}

/** Waits for no row: a renewal of several holds might wait for this statement in turn. */
function settleSeveral(name: string): string {
  return `WITH held AS MATERIALIZED (
  SELECT entry.ctid AS place, given.*
  FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::float8[], $6::integer[], $7::text[])
    AS given (key, holder, state, due, keep, failures, error)
  JOIN ${name} AS entry ON entry.key = given.key AND entry.holder = given.holder
  FOR UPDATE OF entry SKIP LOCKED
)
UPDATE ${name} AS entry SET ${settled}, state = held.state, due_at = ${secondsFromNow("due")},
  expires_at = ${secondsFromNow("keep")}, failures = held.failures, error = held.error
FROM held WHERE entry.ctid = held.place RETURNING entry.key`;
}

/** A worker gave no sign of life for so long that another one took its entry over. */
class LateVerdict extends Error {
  override readonly name = "LateVerdict";

  constructor(takeOverSeconds: number) {
    super(
      `The verdict on an event came too late: its worker gave no sign of life for ${takeOverSeconds} s, and another one took ` +
        "the event over. Look for a blocked event loop, or raise takeOverSeconds.",
    );
  }
}

/** The state of an entry after a verdict, and how soon it is due and removed. */
interface Outcome {
  readonly state: "open" | "done" | "dead";
  readonly dueSeconds?: number;
  readonly keepSeconds: number;
  readonly failures: number;
  readonly error?: ErrorSummary;
}

function outcomeOf(
  { keepSeconds, keepDeadLettersSeconds }: InboxDeps,
  verdict: InboxVerdict,
  failures: number,
): Outcome {
  switch (verdict.action) {
    case "complete":
      return { state: "done", keepSeconds, failures };
    case "retry": {
      const { afterSeconds: dueSeconds } = verdict;
      return { state: "open", dueSeconds, keepSeconds: dueSeconds + openSeconds, failures: verdict.failures };
    }
    case "dead_letter":
      return { state: "dead", keepSeconds: keepDeadLettersSeconds, failures, error: verdict.error };
  }
}
