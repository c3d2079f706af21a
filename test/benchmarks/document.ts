import { readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, loadavg, release, type as systemName, totalmem } from "node:os";
import { join } from "node:path";
import { type Figure, shownMicroseconds } from "./measure/figures.ts";
import type { Role } from "./measure/subject.ts";
import { type RowName, rows } from "./rows.ts";

const root = join(import.meta.dirname, "../..");
const document = join(root, "docs/benchmarks.md");
/** What stands between these lines is written by a run. */
const marks = { begin: "<!-- figures of the last run -->", end: "<!-- end of the figures -->" } as const;

/** Replaces the tables of the document. */
export function writeDocument(figures: readonly Figure[]): void {
  const text = readFileSync(document, "utf8");
  const [before = "", rest = ""] = text.split(`${marks.begin}\n`);
  const [, after = ""] = rest.split(marks.end);
  const made = [describeMachine(), tableOf(figures), costsOf(figures)].join("\n\n");
  writeFileSync(document, `${before}${marks.begin}\n\n${made}\n\n${marks.end}${after}`);
}

const loadBefore = loadavg()[0] ?? 0;

function describeMachine(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${memory} GiB, ${systemName()} ${release()} on ${arch()}`;
  const versions = {
    ...versionsIn("package.json", ["express", "fastify"]),
    ...versionsIn("test/benchmarks/peers/package.json"),
  };
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const day = new Date().toISOString().slice(0, "2026-11-23".length);
  return `${day}, Node ${process.versions.node}, ${machine}; load of the machine before: ${loadBefore.toFixed(2)}.
Versions: ${named.join(", ")}.`;
}

function versionsIn(path: string, only?: readonly string[]): Readonly<Record<string, string>> {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, path), "utf8"));
  const all: Readonly<Record<string, string>> = { ...dependencies, ...devDependencies };
  return Object.fromEntries(Object.entries(all).filter(([name]) => only?.includes(name) ?? true));
}

/**
 * Shows each row with all its subjects. A row that the machine could not measure has empty cells. Only a run that measured another
 * checkout has a column for it.
 */
function tableOf(figures: readonly Figure[]): string {
  const hasBefore = figures.some(({ role }) => role === "before");
  const cell = (row: string, role: Role) =>
    figures
      .filter((figure) => figure.row === row && figure.role === role)
      .map(({ subject, value }) => (role === "noise" ? value : `${subject}: ${value}`))
      .join("<br>");
  const lines = Object.entries(rows).map(([row, { what, limit }]) =>
    rowOf([
      what,
      limit,
      cell(row, "doorcode"),
      ...(hasBefore ? [cell(row, "before")] : []),
      cell(row, "peer"),
      cell(row, "reference"),
      cell(row, "noise"),
    ]),
  );
  const columns = [
    "what",
    "the limit",
    "Doorcode",
    ...(hasBefore ? ["Doorcode before"] : []),
    "others",
    "a part of it",
    "the limit against itself",
  ];
  return [rowOf(columns), rowOf(columns.map(() => "---")), ...lines].join("\n");
}

/** Shows what one operation has cost. */
function costsOf(figures: readonly Figure[]): string {
  const shown = (microseconds: number | undefined) =>
    microseconds === undefined ? "" : shownMicroseconds(microseconds);
  const lines = figures
    .filter(({ cpuMicroseconds }) => cpuMicroseconds !== undefined)
    .map(({ row, subject, value, cpuMicroseconds, wallMicroseconds }) =>
      rowOf([rowTitle(row), subject, value, shown(cpuMicroseconds), shown(wallMicroseconds)]),
    );
  return [
    rowOf(["what", "program", "of the limit", "CPU time", "time on the clock"]),
    rowOf(["---", "---", "---", "--:", "--:"]),
    ...lines,
  ].join("\n");
}

const rowTitle = (row: RowName) => rows[row].what;

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
