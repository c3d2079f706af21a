import { DoorcodeError } from "../primitives/errors.ts";
import { type PhoneNumber, parseE164, parsePhoneNumber } from "../primitives/phone-number.ts";
import { askPhoneOf } from "./callbacks.ts";
import type { LoginDeps } from "./login-deps.ts";
import { allowPhone } from "./policy.ts";
import type { RequestSessions } from "./request-sessions.ts";
import { belongsTo, type LoginTransaction } from "./transaction.ts";

/*
 * A link and a step-up belong to the session that started them, and a step-up proves the number of its account. Either may
 * change while a code is on its way, so both are asked for again: whoever logs out, or gives up a number, ends what was
 * under way.
 */

/** Returns the number that a user proves in a step-up; `undefined` if the account has none. */
export async function readAccountPhone(
  { callbacks, countries }: LoginDeps,
  userId: string,
): Promise<PhoneNumber | undefined> {
  const known = await askPhoneOf(callbacks, userId);
  if (!known) return undefined;
  // The kit has given the number to the app in E.164; an app may have got it elsewhere, in another spelling.
  return allowPhone(parseE164(known) ?? parsePhoneNumber(known), countries);
}

/** Holds a link or a step-up to the session that started it. @throws {@link DoorcodeError} `session_changed` */
export async function assertSameSession(transaction: LoginTransaction, sessions: RequestSessions): Promise<void> {
  if (!transaction.session) return;
  if (!belongsTo(transaction, await sessions.current())) throw new DoorcodeError("session_changed");
}

/**
 * Holds a link or a step-up to its session, and a step-up to the number that the account has now.
 *
 * @throws {@link DoorcodeError} `session_changed`
 */
export async function assertSameAccount(
  deps: LoginDeps,
  transaction: LoginTransaction,
  sessions: RequestSessions,
): Promise<void> {
  await assertSameSession(transaction, sessions);
  const { purpose, session, phone } = transaction;
  if (purpose !== "step_up" || !session) return;
  if ((await readAccountPhone(deps, session.userId))?.e164 !== phone) throw new DoorcodeError("session_changed");
}

/**
 * Holds a link or a step-up to its user, after the new session has started. Not to the session: an app that renews its own
 * session's id has another one by now.
 *
 * @throws {@link DoorcodeError} `session_changed`
 */
export async function assertSameUser({ session }: LoginTransaction, sessions: RequestSessions): Promise<void> {
  if (!session) return;
  if ((await sessions.current())?.userId !== session.userId) throw new DoorcodeError("session_changed");
}
