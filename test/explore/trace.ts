import type { ExploredRequest } from "./history.ts";
import type { Step } from "./scheduler.ts";
import type { Outcome } from "./schedules.ts";

/** Describes a schedule: when who called what, and what came of it, a line for each call; then the answers of all requests. */
export function describeTrace({ steps, requests }: Pick<Outcome, "steps" | "requests">): readonly string[] {
  return [...describeSteps(steps), ...requests.map(describeAnswer)];
}

function describeAnswer({ name, process, answer }: ExploredRequest): string {
  return `${process.name} ${name}: ${answer ? `${answer.status} ${answer.code}` : "never answered"}`;
}

function describeSteps(steps: readonly Step[]): readonly string[] {
  const first = steps[0]?.atMilliseconds ?? 0;
  return steps.map(({ atMilliseconds, call, fault, result }) => {
    const seconds = ((atMilliseconds - first) / 1000).toFixed(1).padStart(5);
    if (!call) return `${seconds} s  16 seconds pass`;
    const { name, process } = call.request;
    const outcome = fault ? fault.toUpperCase() : `→ ${describeResult(result)}`;
    return `${seconds} s  ${process.name} ${name}: ${call.what} ${outcome}`;
  });
}

const maxCharacters = 60;

function describeResult(result: unknown): string {
  if (result === undefined) return "done";
  if (result instanceof Error) return result.message;
  const text = Array.isArray(result) ? result.map(describeOne).join(", ") : describeOne(result);
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

function describeOne(result: unknown): string {
  if (result === undefined) return "nothing";
  if (typeof result !== "object" || result === null) return String(result);
  if ("count" in result)
    return "granted" in result && !result.granted ? `${result.count} (refused)` : `${result.count}`;
  if ("held" in result) return result.held ? "held" : "not held";
  if ("body" in result) return JSON.stringify(result.body);
  return JSON.stringify(result);
}
