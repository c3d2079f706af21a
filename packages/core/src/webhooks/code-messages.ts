import { type PhoneNumber, parseE164 } from "../phone/phone-number.ts";
import type { Store } from "../store/store.ts";
import { codeMessageKey, type EntityRecord, withSeen } from "./entity-record.ts";
import type { VerificationEvent, WebhookEvent } from "./event.ts";

/** The store, and the prefix of the app's keys in it. */
interface CodeMessageDeps {
  readonly store: Store;
  readonly name: string;
}

/** A message that is not delivered within a day is not waited for any more. */
const ttlSeconds = 86_400;

/**
 * Remembers that a message carried the code of a login, so that an event about it can be told from those of the app's
 * other messages. Never rejects: without it an undelivered code counts as an unconfirmed login for a while.
 *
 * @param messageId - `undefined` for a code that was no message: then there is nothing to remember.
 */
export async function rememberCodeMessage(
  { store, name }: CodeMessageDeps,
  { phone, messageId }: { readonly phone: string; readonly messageId?: string | undefined },
): Promise<void> {
  if (messageId === undefined) return;
  await store.put(codeMessageKey(name, messageId), phone, { ttlSeconds }).catch(() => undefined);
}

/**
 * Returns the number that a code could not reach, by the event that says so last; `undefined` for any other event.
 *
 * @throws {@link DoorcodeError} `store_unavailable`
 */
export async function undeliveredNumberOf(
  { store, name }: CodeMessageDeps,
  event: WebhookEvent,
  record: EntityRecord,
): Promise<PhoneNumber | undefined> {
  if (event.kind === "unknown" || event.data.status !== "FAILED") return undefined;
  if (event.kind === "verification.update") return numberOfVerification(event, record);
  const { message_id } = event.data;
  if (message_id === undefined) return undefined;
  // A message of the app that carried no code says nothing about a login.
  const [phone] = await store.get([codeMessageKey(name, message_id)]);
  return phone === undefined ? undefined : parseE164(phone);
}

/**
 * A verification may also fail by wrong codes, after it was delivered. So each of its channels must have failed, too.
 * The specification does not show the statuses of a verification: a service that names them in another way has no
 * undelivered codes here.
 *
 * @see "Message statuses" and "Verification" of the specification
 */
function numberOfVerification(event: VerificationEvent, record: EntityRecord): PhoneNumber | undefined {
  const attempts = withSeen(record, event).seen?.attempts ?? [];
  const isUndelivered = attempts.length > 0 && attempts.every(({ status }) => status === "FAILED");
  return isUndelivered ? parseE164(event.data.recipient ?? "") : undefined;
}
