import { type PhoneNumber, parseE164 } from "../primitives/phone-number.ts";
import type { WebhookEvent } from "./event.ts";
import { type EntityRecord, withSeen } from "./order.ts";

/**
 * Returns the number that a verification has reached over none of its channels; `undefined` for any other event.
 *
 * A verification may also fail by wrong codes, after it was delivered. So each of its channels must have failed, too. The
 * specification does not show the statuses of a verification: a service that names them in another way has no undelivered codes
 * here.
 *
 * @see "Message statuses" and "Verification" of the specification
 */
export function undeliveredNumberOf(event: WebhookEvent, record: EntityRecord): PhoneNumber | undefined {
  if (event.kind !== "verification.update" || event.data.status !== "FAILED") return undefined;
  const attempts = withSeen(record, event).seen?.attempts ?? [];
  const isUndelivered = attempts.length > 0 && attempts.every(({ status }) => status === "FAILED");
  return isUndelivered ? parseE164(event.data.recipient ?? "") : undefined;
}
