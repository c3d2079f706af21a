import type { Decision } from "../../state/decision.ts";
import type { Tone } from "../components/status.tsx";

/** The outcomes in the order of the page, with their labels and tones. */
export const outcomes: readonly (readonly [Decision["outcome"], label: string, Tone])[] = [
  ["allowed", "Allowed", "good"],
  ["trusted", "Trusted", "good"],
  ["would_refuse", "Would refuse", "warn"],
  ["challenged", "Challenged", "warn"],
  ["suppressed", "Suppressed", "bad"],
  ["refused", "Refused", "bad"],
];

const limitTexts: Readonly<Record<string, string>> = {
  app: "Your app",
  number: "Number",
  block: "Block",
  wide_block: "Wide block",
  address: "Address",
  network: "Network",
  sends_per_hour: "Codes an hour",
  sends_per_day: "Codes a day",
  cost_per_day: "Cost a day",
};

/** The limits that close for a time. */
const groups = ["block", "wide_block", "address", "network"];

/** Returns the label of a limit. */
export function limitText(limit: string): string {
  return limitTexts[limit] ?? limit;
}

/** Returns why a limit was met: by its count, or because it had closed before. */
export function reasonText({ limit, count, threshold }: Decision): string | undefined {
  if (limit === undefined) return undefined;
  if (count !== undefined && threshold !== undefined) return `${count} where ${threshold} are allowed`;
  if (limit === "app") return "beforeSend";
  if (limit === "number") return "too early, or its codes are used up";
  return groups.includes(limit) ? "closed before" : "used up";
}

/** Returns what else counted for a decision. */
export function circumstances({ onAlert, appOnAlert, knownNumber, knownDevice }: Decision): readonly string[] {
  return [
    ...(onAlert ? ["country on alert"] : []),
    ...(appOnAlert ? ["app on alert"] : []),
    ...(knownNumber ? ["known number"] : []),
    ...(knownDevice ? ["known device"] : []),
  ];
}
