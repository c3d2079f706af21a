import { openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

/** What a process of the app writes down. */
export type LedgerEntry =
  /** A handler had its effect. */
  | {
      readonly type: "run";
      readonly key: string;
      /** The message or verification. */
      readonly entity: string;
      /** When it happened there, as the service wrote it. */
      readonly instant: string;
      readonly told: string;
    }
  /** `onLogin` had its effect. */
  | { readonly type: "login"; readonly loginId: string; readonly phone: string }
  /** The kit published something. */
  | { readonly type: "published"; readonly event: string; readonly key?: string };

/** An entry as it stands in a ledger. */
export type LedgerLine = LedgerEntry & {
  readonly at: number;
  /** Which process wrote it. */
  readonly process: number;
};

/** Milliseconds on a clock that all processes of the machine share and nobody sets. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Opens the ledger of a process for writing. What was written stands, also when the process is killed right after. */
export function openLedger(folder: string, index: number): (entry: LedgerEntry) => void {
  const file = openSync(join(folder, `${index}.jsonl`), "a");
  return (entry) => void writeSync(file, `${JSON.stringify({ ...entry, at: monotonicNow(), process: index })}\n`);
}

/** Reads the ledgers of a folder while they are being written. */
export interface LedgerReader {
  /** All lines up to now, each ledger in its order. */
  read(): readonly LedgerLine[];
}

/** Creates a reader that reads only what it has not read before. */
export function createLedgerReader(folder: string): LedgerReader {
  const lines: LedgerLine[] = [];
  const offsets = new Map<string, number>();
  return {
    read() {
      for (const name of readdirSync(folder)) {
        const bytes = readFileSync(join(folder, name)).subarray(offsets.get(name) ?? 0);
        const end = bytes.lastIndexOf("\n") + 1;
        offsets.set(name, (offsets.get(name) ?? 0) + end);
        const texts = bytes.subarray(0, end).toString().split("\n");
        for (const text of texts) if (text !== "") lines.push(JSON.parse(text));
      }
      return lines;
    },
  };
}
