import { type PhoneNumber, parseE164 } from "../phone/phone-number.ts";
import type { Store } from "../store/store.ts";
import { numberOfCodeMessage } from "./code-messages.ts";
import type { MessageStatusEvent, VerificationEvent, WebhookEvent } from "./event.ts";
import { type EntityRecord, withSeen } from "./order.ts";

/** The store, and the prefix of the app's keys in it. */
interface UndeliveredDeps {
  readonly store: Store;
  readonly name: string;
}

/**
 * Returns the number that a code could not reach, by the event that says so last; `undefined` for any other event.
 *
 * @throws {@link DoorcodeError} `store_unavailable`
 */
export async function undeliveredNumberOf(
  deps: UndeliveredDeps,
  event: WebhookEvent,
  record: EntityRecord,
): Promise<PhoneNumber | undefined> {
  if (event.kind === "unknown" || event.data.status !== "FAILED") return undefined;
  return event.kind === "message.status.update" ? ofMessage(deps, event) : ofVerification(event, record);
}

/** A message of the app that carried no code says nothing about a login. */
async function ofMessage(deps: UndeliveredDeps, { data }: MessageStatusEvent): Promise<PhoneNumber | undefined> {
  return data.message_id === undefined ? undefined : numberOfCodeMessage(deps, data.message_id);
}

/**
 * A verification may also fail by wrong codes, after it was delivered. So each of its channels must have failed, too. The
 * specification does not show the statuses of a verification: a service that names them in another way has no undelivered codes
 * here.
 *
 * @see "Message statuses" and "Verification" of the specification
 */
function ofVerification(event: VerificationEvent, record: EntityRecord): PhoneNumber | undefined {
  const attempts = withSeen(record, event).seen?.attempts ?? [];
  const isUndelivered = attempts.length > 0 && attempts.every(({ status }) => status === "FAILED");
  return isUndelivered ? parseE164(event.data.recipient ?? "") : undefined;
}
