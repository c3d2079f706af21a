import type { Channel } from "../state/message.ts";

/** How a number can misbehave. */
export const behaviours = ["sms_fails", "never_delivered", "only_voice"] as const;

/** `sms_fails`: SMS ends `FAILED`. `never_delivered`: stays `SENT`. `only_voice`: all but a call end `FAILED`. */
export type Behaviour = (typeof behaviours)[number];

/** What becomes of a message once it is sent; `silent` means that no outcome is ever reported. */
export type Fate = "delivered" | "failed" | "silent";

/** Numbers that Germany reserves for film and print, so that no real person ever misbehaves here. */
const ranges: readonly (readonly [prefix: string, behaviour: Behaviour])[] = [
  ["+49171392001", "sms_fails"],
  ["+49171392002", "never_delivered"],
  ["+49171392003", "only_voice"],
];

/** Creates the rule that tells what becomes of a message: by the given numbers first, then by the fixed ranges. */
export function createHandsets(numbers: Readonly<Record<string, Behaviour>>): (to: string, channel: Channel) => Fate {
  const byNumber = new Map(Object.entries(numbers));
  return (to, channel) => fateOf(byNumber.get(to) ?? rangeOf(to), channel);
}

function rangeOf(to: string): Behaviour | undefined {
  return ranges.find(([prefix]) => to.length === prefix.length + 1 && to.startsWith(prefix))?.[1];
}

function fateOf(behaviour: Behaviour | undefined, channel: Channel): Fate {
  if (behaviour === "never_delivered") return "silent";
  if (behaviour === "sms_fails" && channel === "SMS") return "failed";
  if (behaviour === "only_voice" && channel !== "VOICE") return "failed";
  return "delivered";
}
