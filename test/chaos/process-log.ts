import { openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

/** What a process of the app writes to its log. */
export type LogEntry =
  /** A handler had its effect. */
  | {
      readonly type: "run";
      readonly key: string;
      /** The message or verification. */
      readonly entity: string;
      /** When it happened at the service, as the service wrote it. */
      readonly instant: string;
      readonly told: string;
    }
  /** `onLogin` had its effect. */
  | { readonly type: "login"; readonly loginId: string; readonly phone: string }
  /** The kit published something. */
  | { readonly type: "published"; readonly event: string; readonly key?: string };

/** An entry as a log holds it. */
export type LogLine = LogEntry & {
  readonly at: number;
  /** The process that wrote it. */
  readonly process: number;
};

/** Answers milliseconds on a clock that all processes of the machine share, and that nobody sets. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Opens the log of a process for writing. A line that was written stays, even when the process is killed right after. */
export function openProcessLog(folder: string, index: number): (entry: LogEntry) => void {
  const file = openSync(join(folder, `${index}.jsonl`), "a");
  return (entry) => void writeSync(file, `${JSON.stringify({ ...entry, at: monotonicNow(), process: index })}\n`);
}

/** Reads the logs of a folder while they are being written. */
export interface LogReader {
  /** Answers all lines up to now, each log in its order. */
  read(): readonly LogLine[];
}

/** Creates a reader that reads only the lines it has not read before. */
export function createLogReader(folder: string): LogReader {
  const lines: LogLine[] = [];
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
