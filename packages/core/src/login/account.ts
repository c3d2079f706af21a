import type { Purpose } from "../codes/code-strategy.ts";
import { allowPhone } from "../phone/allowed-numbers.ts";
import { type PhoneNumber, parseE164, parsePhoneNumber } from "../phone/phone-number.ts";
import { callAppInTime } from "../util/call-app.ts";
import { DoorcodeError } from "../util/errors.ts";
import type { ProvenPhone } from "./callbacks.ts";
import type { LoginDeps } from "./login-deps.ts";
import { belongsTo, type LoginTransaction } from "./transaction.ts";

/** Every value of {@link ProvenBy}. */
export const provenByValues = ["phone", "passkey"] as const;

/** What a session's proof is of: the phone, by a code, or a passkey, which resists phishing. */
export type ProvenBy = (typeof provenByValues)[number];

/** The account that a request is logged in to. */
export interface AppSession {
  /** The user's id, as `onLogin` returned it. */
  readonly userId: string;
  /** The session's id. With one, a link or a step-up is held to this very session, not only to its user. */
  readonly sessionId?: string;
  /**
   * When this session was proven last, as Unix milliseconds: the `provenAt` that `session.start` got. Without it, an
   * account that has a number cannot change it, and no guard with `provenWithinSeconds` lets the session pass.
   */
  readonly provenAt?: number | undefined;
  /** By what the session was proven at `provenAt`. Default: `phone`. */
  readonly provenBy?: ProvenBy | undefined;
  /** The part of the user that a browser may see. */
  readonly user?: unknown;
}

/** The proofs that are accepted: how old they may be, and of what. */
export interface AcceptedProof {
  readonly withinSeconds: number;
  readonly by: readonly ProvenBy[];
}

/**
 * Tells whether the newest proof of a session is recent and accepted. An instant too far in the future is refused: an app that keeps
 * another unit than milliseconds would never be asked for a proof again.
 */
export function isRecentlyProven(
  { provenAt, provenBy = "phone" }: AppSession,
  now: number,
  { withinSeconds, by }: AcceptedProof,
): boolean {
  return provenAt !== undefined && Math.abs(now - provenAt) <= withinSeconds * 1000 && by.includes(provenBy);
}

/** A login whose code was right: `session.start` is called with it. */
export interface ConfirmedLogin extends ProvenPhone {
  /** The id that `onLogin` or `onLink` returned. */
  readonly userId: string;
  readonly purpose: Purpose;
}

/** A session that was started and can still be undone. */
export interface StartedSession {
  /** Whole `Set-Cookie` values. */
  readonly cookies: readonly string[];
  /** The token of the session, for a client without cookies. */
  readonly sessionToken?: string;
  readonly user?: unknown;
  /** The value that the app's own `session.start` returned; it is part of the answer. */
  readonly result?: unknown;
  /** Ends the session again, because the login failed after all. */
  undo(): Promise<void>;
  /** Ends the session that the browser had before, because the login succeeded. */
  complete(): Promise<void>;
}

/** The sessions of one request: the kit's own or the app's. */
export interface RequestSessions {
  current(): Promise<AppSession | undefined>;
  start(login: ConfirmedLogin): Promise<StartedSession>;
  /** Ends the user's other sessions, also when this one has ended itself. Sessions of the app are the app's matter. */
  endOthers(session: AppSession): Promise<void>;
  /** Ends the session that the request came with, and returns the cookies that delete it from the browser. */
  end(): Promise<readonly string[]>;
}

/*
 * A link and a step-up belong to the session that started them. A step-up proves the number of its account, and a link replaces it. The
 * session and the number may change before the code is entered, so the kit reads both again. A user who logs out or gives up a number ends
 * their open links and step-ups.
 */

function askPhoneOf({ callbacks, clock }: LoginDeps, userId: string): Promise<string | null | undefined> {
  return callAppInTime("login.phoneOf", clock, () => callbacks.phoneOf?.(userId));
}

/** Parses a number of the app, which may have got it elsewhere than from the kit, in another spelling than E.164. */
function parseKnown(known: string): PhoneNumber | undefined {
  return parseE164(known) ?? parsePhoneNumber(known);
}

/** Returns the number that a user proves in a step-up; `undefined` if the account has none. */
export async function readAccountPhone(deps: LoginDeps, userId: string): Promise<PhoneNumber | undefined> {
  const known = await askPhoneOf(deps, userId);
  return known ? allowPhone(parseKnown(known), deps.countries) : undefined;
}

/** Returns the number of an account, also one of a country that is not allowed any more. */
export async function readLinkedPhone(deps: LoginDeps, userId: string): Promise<string | undefined> {
  const known = await askPhoneOf(deps, userId);
  return known ? (parseKnown(known)?.e164 ?? known) : undefined;
}

/**
 * Someone who finds an unlocked phone must not be able to move the account to a number of theirs. A passkey counts too: it is the stronger
 * proof, and a person whose phone is lost has no other one.
 */
const acceptedForChanges: AcceptedProof = { withinSeconds: 900, by: provenByValues };

/** Returns the number that a link replaces, if there is another one. @throws {@link DoorcodeError} `proof_required` */
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

/** Holds a change of an account's numbers to a recent proof. @throws {@link DoorcodeError} `proof_required` */
export function assertRecentProof({ clock }: LoginDeps, session: AppSession): void {
  if (!isRecentlyProven(session, clock.now(), acceptedForChanges)) throw new DoorcodeError("proof_required");
}

/** Holds a link or a step-up to the session that started it. @throws {@link DoorcodeError} `session_changed` */
export async function assertSameSession(transaction: LoginTransaction, sessions: RequestSessions): Promise<void> {
  if (!transaction.session) return;
  if (!belongsTo(transaction, await sessions.current())) throw new DoorcodeError("session_changed");
}

/** Holds a link or a step-up to its session and the account's number. @throws {@link DoorcodeError} `session_changed` */
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
