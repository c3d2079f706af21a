import type { PhoneTrace } from "../doorcode-event.ts";
import type { CodeKeys } from "../keys.ts";
import { maskPhone } from "../phone-number.ts";

/** A number as events may show it. */
export function tracePhone(keys: CodeKeys, e164: string): PhoneTrace {
  return { phone: maskPhone(e164), phoneFingerprint: keys.fingerprint(e164) };
}
