import type { LimitsDescription } from "@doorcode/core";
import type { AlertedApp, ClosedGroup } from "@doorcode/core/adapter";

/** Writes the description of limits as text. */
export function describeText({ limits, guessing, alerts, falseAlarms }: LimitsDescription): string {
  const odds = Object.entries(guessing).map(([of, chance]) => [of, percent(chance)]);
  const alarms = falseAlarms.map(({ kind, unconfirmed, confirmed, chance }) => [
    kind,
    String(unconfirmed),
    percent(confirmed),
    percent(chance),
  ]);
  return [
    "Limits",
    table(Object.entries(limits).map(([name, value]) => [name, valueText(value)])),
    "Odds of guessing a code of one number",
    table(odds),
    "Alerts: unconfirmed logins of about a day, and for each login of a usual day",
    table(Object.entries(alerts).map(([of, alert]) => [of, String(alert.unconfirmed), String(alert.perDailyLogin)])),
    "Chance that honest people without a past close a group, each time its balance leaves zero",
    table([["kind", "unconfirmed", "people who enter their code", "chance"], ...alarms]),
  ].join("\n");
}

/** Writes what is on alert or closed as text. */
export function stateText(state: readonly (AlertedApp | ClosedGroup)[]): string {
  if (state.length === 0) return "Nothing is closed.\n";
  const rows = state.map((entry) =>
    entry.kind === "app"
      ? ["app", `on alert: ${Math.round(entry.unconfirmed)} unconfirmed, of ${Math.floor(entry.threshold)}`, ""]
      : [entry.kind, entry.value, durationText(entry.secondsLeft)],
  );
  return table([["kind", "value", "opens in"], ...rows]);
}

/** Writes rows as columns. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return lines.map((line) => `  ${line.trimEnd()}\n`).join("");
}

function valueText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Two digits that count, however small the chance is. */
function percent(chance: number | undefined): string {
  return chance === undefined ? "no limit" : `${Number((chance * 100).toPrecision(2))} %`;
}

function durationText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return hours === 0 ? `${rest} min` : `${hours} h ${rest} min`;
}
