import type { Html } from "@doorcode/operations/page-parts";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";

/** Formats a phone number for reading, such as `+49 1512 3456789`. Any other text stays as it is. */
export function phoneText(number: string): string {
  return parsePhoneNumberFromString(number)?.formatInternational() ?? number;
}

/** Shows a phone number in groups. The spaces are only drawn, so that copying gives the number as programs write it. */
export function Phone({ number }: { readonly number: string }): Html {
  const text = phoneText(number);
  return <span class="number">{groups(text === number ? [number] : text.split(" "))}</span>;
}

/** Shows the digits of a code in groups, as {@link Phone} does. Any other code stays as it is. */
export function Digits({ code }: { readonly code: string }): Html {
  return <span>{groups(groupsOf(code))}</span>;
}

/** Up to five digits are read in one breath. Six or more are read in threes, or in fours where that leaves no rest. */
function groupsOf(code: string): readonly string[] {
  if (!/^\d{6,}$/.test(code)) return [code];
  const size = code.length % 4 === 0 ? 4 : 3;
  // A single digit at the end belongs to the group before it.
  return code.match(new RegExp(`\\d{${size}}(?:\\d$)?|\\d+`, "g")) ?? [code];
}

function groups(parts: readonly string[]) {
  return parts.length === 1 ? parts : parts.map((part) => <span class="digits">{part}</span>);
}
