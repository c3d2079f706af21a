import { type PhoneNumber, parseE164, parsePhoneNumber } from "../phone/phone-number.ts";
import { allowPhone } from "../phone/policy.ts";
import { DoorcodeError } from "../util/errors.ts";
import { askPhoneOf } from "./callbacks.ts";
import type { LoginDeps } from "./login-deps.ts";
import { type AppSession, isRecentlyProven, type RequestSessions } from "./request-sessions.ts";
import { belongsTo, type LoginTransaction } from "./transaction.ts";

/*
 * A link and a step-up belong to the session that started them. A step-up proves the number of its account, and a link
 * replaces it. The session and the number may change before the code is entered, so the kit reads both again. A user
 * who logs out or gives up a number ends their open links and step-ups.
 */

/** Returns the number that a user proves in a step-up; `undefined` if the account has none. */
export async function readAccountPhone(deps: LoginDeps, userId: string): Promise<PhoneNumber | undefined> {
  const known = await askPhoneOf(deps, userId);
  return known ? allowPhone(parseKnown(known), deps.countries) : undefined;
}

/**
 * Parses a number of the app. The kit has given it to the app in E.164; an app may have got it elsewhere, in another
 * spelling.
 */
function parseKnown(known: string): PhoneNumber | undefined {
  return parseE164(known) ?? parsePhoneNumber(known);
}

/** Returns the number that a link would replace, also one of a country that is not allowed any more. */
async function readLinkedPhone(deps: LoginDeps, userId: string): Promise<string | undefined> {
  const known = await askPhoneOf(deps, userId);
  return known ? (parseKnown(known)?.e164 ?? known) : undefined;
}

/** Someone who finds an unlocked phone must not be able to move the account to a number of theirs. */
const changeProvenWithinSeconds = 900;

/**
 * Returns the number that a link replaces; `undefined` if the account has no other one.
 *
 * @throws {@link DoorcodeError} `proof_required` if there is one, and the session has not proven it within 15 minutes
 */
export async function readReplacedPhone(
  deps: LoginDeps,
  session: AppSession,
  phone: string,
): Promise<string | undefined> {
  const known = await readLinkedPhone(deps, session.userId);
  if (known === undefined || known === phone) return undefined;
  assertRecentProof(deps, session);
  return known;
}

/**
 * Holds a change of an account's numbers to a proof within 15 minutes.
 *
 * @throws {@link DoorcodeError} `proof_required`
 */
export function assertRecentProof({ clock }: LoginDeps, session: AppSession): void {
  const isProven = isRecentlyProven(session, clock.now(), changeProvenWithinSeconds);
  if (!isProven) throw new DoorcodeError("proof_required");
}

/** Holds a link or a step-up to the session that started it. @throws {@link DoorcodeError} `session_changed` */
export async function assertSameSession(transaction: LoginTransaction, sessions: RequestSessions): Promise<void> {
  if (!transaction.session) return;
  if (!belongsTo(transaction, await sessions.current())) throw new DoorcodeError("session_changed");
}

/**
 * Holds a link or a step-up to its session, a step-up to the number that the account has now, and a link to the one
 * that it replaces.
 *
 * @throws {@link DoorcodeError} `session_changed`
 */
export async function assertSameAccount(
  deps: LoginDeps,
  transaction: LoginTransaction,
  sessions: RequestSessions,
): Promise<void> {
  await assertSameSession(transaction, sessions);
  const { purpose, session, phone, oldPhone } = transaction;
  if (purpose === "login" || !session) return;
  const isSame =
    purpose === "step_up"
      ? (await readAccountPhone(deps, session.userId))?.e164 === phone
      : // The new number is there already if the app stored it and the login could not be finished.
        [oldPhone, phone].includes(await readLinkedPhone(deps, session.userId));
  if (!isSame) throw new DoorcodeError("session_changed");
}

/**
 * Holds a link or a step-up to its user, after the new session has started. Not to the session: an app that renews its
 * own session's id has another one by now.
 *
 * @throws {@link DoorcodeError} `session_changed`
 */
export async function assertSameUser({ session }: LoginTransaction, sessions: RequestSessions): Promise<void> {
  if (!session) return;
  if ((await sessions.current())?.userId !== session.userId) throw new DoorcodeError("session_changed");
}
