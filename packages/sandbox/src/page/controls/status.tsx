import type { Html } from "../html.ts";
import { Icon, type IconName } from "./icon.tsx";

/** How a state is meant: its colour and its sign. */
export type Tone = "good" | "bad" | "warn" | "busy" | "quiet";

const signs: Readonly<Record<Tone, IconName>> = {
  good: "check",
  bad: "cross",
  warn: "warning",
  busy: "send",
  quiet: "dots",
};

/** What {@link Status} shows. */
export interface StatusProps {
  readonly tone: Tone;
  readonly children: string;
}

/** A state in a word, with a sign of its own, so that colour is never all that tells it. */
export function Status({ tone, children }: StatusProps): Html {
  return (
    <span class={`status ${tone}`}>
      <Icon name={signs[tone]} />
      {children}
    </span>
  );
}

const tones: Readonly<Record<string, Tone>> = {
  SENT: "busy",
  DELIVERED: "good",
  FAILED: "bad",
  PENDING: "busy",
  APPROVED: "good",
  EXPIRED: "warn",
};

/** How a status of a message or a verification is meant. */
export function toneOf(status: string): Tone {
  return tones[status] ?? "quiet";
}

/** A status of the wire as a word: `DELIVERED` → `Delivered`. */
export function statusWord(status: string): string {
  return status.charAt(0) + status.slice(1).toLowerCase();
}
