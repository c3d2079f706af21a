import { type PhoneNumber, parseE164 } from "../phone/phone-number.ts";
import type { Store } from "../store/store.ts";
import { codeMessageKey } from "./entity.ts";

/** The store, and the prefix of the app's keys in it. */
interface CodeMessageDeps {
  readonly store: Store;
  readonly name: string;
}

/** A message that is not delivered within a day is not waited for any more. */
const ttlSeconds = 86_400;

/**
 * Remembers that a message carried the code of a login, so that an event about it can be told from those of the app's other
 * messages. Never rejects: without it an undelivered code counts as an unconfirmed login for a while.
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

/** Returns the number to which a message was to bring a code; `undefined` for any other message. */
export async function numberOfCodeMessage(
  { store, name }: CodeMessageDeps,
  messageId: string,
): Promise<PhoneNumber | undefined> {
  const [phone] = await store.get([codeMessageKey(name, messageId)]);
  return phone === undefined ? undefined : parseE164(phone);
}
