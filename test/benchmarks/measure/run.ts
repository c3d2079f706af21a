import type { RowName } from "../rows.ts";
import { compareWithLimit, type Figure, shownMicroseconds } from "./figures.ts";
import { measureRounds, type Size } from "./rounds.ts";
import type { Cost, StartSubject, Subject } from "./subject.ts";

/** True for a run of seconds that only shows that everything works. */
export const quick: boolean = process.argv.includes("--quick");

/** True if the other libraries are measured too. They are installed by `npm run bench`. */
export const withPeers: boolean = !process.argv.includes("--without-peers");

/** The option with the root of another checkout. */
export const beforeOption = "--before=";

/** The root of another built checkout, whose kit is measured beside this one's. */
export const before: string | undefined = process.argv
  .find((word) => word.startsWith(beforeOption))
  ?.slice(beforeOption.length);

const usualSize: Size = { rounds: 15, warmUpCpuMilliseconds: 2000, sampleCpuMilliseconds: 80 };
const quickSize: Size = { rounds: 2, warmUpCpuMilliseconds: 0, sampleCpuMilliseconds: 1 };

/** What a row can have for itself. */
export interface RowOptions extends Partial<Size> {
  /** The time that is compared. Default: CPU time. */
  readonly by?: keyof Cost;
}

/**
 * Starts the subjects of a row, measures them in turn, and reports.
 *
 * @param options - more than the usual time, where operations of milliseconds warm up slowly, and the time that is compared
 */
export async function measureRow(
  row: RowName,
  starts: readonly StartSubject[],
  { by = "cpuMicroseconds", ...size }: RowOptions = {},
): Promise<void> {
  const subjects: Subject[] = [];
  try {
    for (const start of starts) {
      const subject = await start();
      subjects.push(subject);
      if (before !== undefined && subject.role === "doorcode") subjects.push(asBefore(await start(before)));
    }
    report(compareWithLimit(row, await measureRounds(subjects, quick ? quickSize : { ...usualSize, ...size }), by));
  } finally {
    await Promise.all(subjects.map((subject) => subject.close()));
  }
}

function asBefore(subject: Subject): Subject {
  return { ...subject, name: `${subject.name}, before`, role: "before" };
}

/** Prints figures, and hands them to the command that has started this group. */
export function report(figures: readonly Figure[]): void {
  for (const { row, subject, value, cpuMicroseconds, wallMicroseconds } of figures) {
    const times = [cpuMicroseconds, wallMicroseconds].map((time) =>
      time === undefined ? "" : shownMicroseconds(time),
    );
    const cells = [row.padEnd(26), subject.padEnd(34), value.padEnd(20), ...times.map((time) => time.padStart(11))];
    process.stdout.write(`${cells.join(" ").trimEnd()}\n`);
  }
  process.send?.(figures);
}
