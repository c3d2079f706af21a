import { hash } from "node:crypto";
import { channelsOf } from "../phone/allowed-numbers.ts";
import { allCountries, isCountry, maskPhone, numberFormOf, parseE164 } from "../phone/phone-number.ts";
import { type DeliveryState, entityKey, readEntity } from "../webhooks/entity-record.ts";
import type { AppSession } from "./account.ts";
import { readAttempts } from "./attempts.ts";
import type { LoginDeps } from "./login-deps.ts";
import {
  belongsTo,
  endOf,
  findTransaction,
  isSuperseded,
  type LoginTransaction,
  type NamedTransaction,
  type NewestCode,
  type OpenTransaction,
  supersessionKey,
  tagOf,
} from "./transaction.ts";
import type { TypedNumber } from "./typed-number.ts";

/** The state of a browser's login: the body of every endpoint's answer. */
export type LoginState =
  | NoLoginState
  | (CodeSentState & {
      readonly userId?: string;
      readonly user?: unknown;
      /**
       * The whole number as it was understood, such as `+49 1512 3456789`. Only in the answer to a start with a number: its
       * page has just typed it.
       */
      readonly number?: string;
    })
  | LoggedInState
  | VerifiedState;

/** The part of a state that only a page gets which the server is rendering. */
interface RenderedState {
  /** The number of a form that was refused a moment ago, for its field. */
  readonly typed?: TypedNumber | undefined;
}

/** The state of a browser that is not logged in and has no code on its way. */
export interface NoLoginState extends RenderedState {
  readonly status: "none";
  /** Changes when anything else here changes. */
  readonly version: string;
}

/** The state of a browser that is logged in. */
export interface LoggedInState extends RenderedState {
  readonly status: "logged_in";
  /** Changes with the user. */
  readonly version: string;
  readonly userId: string;
  /** The part of the user that `session.publicUser` shows. */
  readonly user?: unknown;
  /** The value that the app's own `session.start` returned. */
  readonly result?: unknown;
}

/** The state of a browser whose number was proven without an account. */
export interface VerifiedState extends RenderedState {
  readonly status: "verified";
  /** Changes with the proof. */
  readonly version: string;
  /** The number, masked. The app's server reads the whole one from the proof. */
  readonly phone: string;
  /** The whole number, such as `+49 1512 3456789`. Only in the answer to a confirmation: its page has typed it. */
  readonly number?: string;
  /** The proof, for the app's server: `createProofVerifier` reads it. */
  readonly proof: string;
  readonly expiresInSeconds: number;
}

/** The state of a login whose code was sent and not yet confirmed. */
export interface CodeSentState {
  readonly status: "code_sent";
  /** Changes whenever the page would look different, except for seconds that pass. */
  readonly version: string;
  /** A short public name of the login. A page sends it back with a code, so that two tabs are not mixed up. */
  readonly transaction: string;
  /** The number, masked. */
  readonly phone: string;
  /** The time left to enter the code. */
  readonly expiresInSeconds: number;
  /** The time until another code may be sent; 0 when it may be sent now. */
  readonly resendInSeconds: number;
  readonly attemptsLeft: number;
  /** The time until another code may be tried; 0 when it may be tried now. */
  readonly checkInSeconds: number;
  /** The channels that take the number, in the order in which they are tried. */
  readonly channels: readonly string[];
  /** The number of digits; `null` when the service's codes may have several lengths. */
  readonly codeLength: number | null;
  /**
   * `null` until a webhook has reported something, in the answer to a start, and if `login.beforeSend` may suppress codes: a suppressed
   * code has no delivery.
   */
  readonly delivery: CodeDelivery | null;
}

/** The state of a browser's login, and how its changes are noticed. */
export interface ReadLogin {
  readonly state: LoginState;
  /** The keys in the store under which its changes are announced; none if no code is on its way. */
  readonly topics: readonly string[];
  /** The time after which it changes by itself. */
  readonly endsInSeconds: number;
}

/** Reads the state of a browser's login. A code on its way comes before a session that exists already. */
export async function readLogin(
  deps: LoginDeps,
  named: NamedTransaction,
  readSession: () => Promise<AppSession | undefined>,
  readProof: () => Promise<VerifiedState | undefined> = async () => undefined,
): Promise<ReadLogin> {
  const [open, session] = await Promise.all([readOpenLogin(deps, named), readSession()]);
  if (open && belongsTo(open.transaction, session)) {
    const { topics, state } = open;
    return { state: codeSentState(state, session), topics, endsInSeconds: state.expiresInSeconds };
  }
  const state = session ? loggedInState(session) : ((await readProof()) ?? noLoginState);
  return { state, topics: [], endsInSeconds: Number.POSITIVE_INFINITY };
}

/** The state of a browser without a login. */
export const noLoginState: NoLoginState = { status: "none", version: versionOf("none") };

/** Returns the state of a code on its way, in a browser that may be logged in already. */
export function codeSentState(state: CodeSentState, session: AppSession | undefined): LoginState {
  if (!session) return state;
  const account = publicAccount(session);
  return { ...state, ...account, version: versionOf(state.version, account) };
}

/** Returns the state of a browser that is logged in. */
export function loggedInState(session: Pick<AppSession, "userId" | "user">): LoggedInState {
  const account = publicAccount(session);
  return { status: "logged_in", version: versionOf("logged in", account), ...account };
}

function publicAccount({ userId, user }: Pick<AppSession, "userId" | "user">): { userId: string; user?: unknown } {
  return { userId, user };
}

/** An open login, and its state. */
interface OpenLogin {
  readonly transaction: LoginTransaction;
  readonly state: CodeSentState;
  /** The keys in the store under which its changes are announced. */
  readonly topics: readonly string[];
}

/**
 * Reads the open login of a browser; `undefined` when no code would complete it. Show a link or a step-up only if `belongsTo` allows it.
 */
export async function readOpenLogin(deps: LoginDeps, named: NamedTransaction): Promise<OpenLogin | undefined> {
  const open = await findTransaction(deps, named);
  if (typeof open === "string" || named.id === undefined) return undefined;
  const { key, transaction, code } = open;
  // Webhooks write under the service's id, whether a login knows it yet or not, so an early one is found.
  const deliveryKeys = deps.suppresses ? [] : deliveryKeysOf(deps.name, code);
  const keys = [supersessionKey(deps, transaction), ...deliveryKeys];
  const [[supersession, stored], attempts] = await Promise.all([deps.store.get(keys), readAttempts(deps, open)]);
  if (isSuperseded(transaction, supersession) || attempts.attemptsLeft === 0) return undefined;
  const { seen: delivery } = readEntity(stored);
  const reported = { ...attempts, delivery: delivery ? describeDelivery(delivery) : null };
  return { transaction, state: describeCode(deps, named.id, open, reported), topics: [key, ...keys] };
}

/** Webhooks report the delivery of a verification or of a message, if the service has named one. */
function deliveryKeysOf(name: string, { verificationId, messageId }: NewestCode): readonly string[] {
  if (verificationId !== undefined) return [entityKey(name, "verification.update", verificationId)];
  return messageId === undefined ? [] : [entityKey(name, "message.status.update", messageId)];
}

/** Describes an open login. After a start nothing was tried yet, and no delivery is read. */
export function describeCode(
  { clock, codes: { digits }, channels, limits, suppresses }: LoginDeps,
  id: string,
  { transaction, code }: OpenTransaction,
  reported: Pick<CodeSentState, "attemptsLeft" | "checkInSeconds" | "delivery"> = {
    attemptsLeft: limits.attemptsPerTransaction,
    checkInSeconds: 0,
    delivery: null,
  },
): CodeSentState {
  const { attemptsLeft, delivery } = reported;
  const { sends, resendAt, verificationId, messageId } = code;
  const tag = tagOf(id);
  const number = parseE164(transaction.phone);
  const expiresAt = endOf(transaction, code);
  const codeLength = transaction.codeLength ?? (digits.min === digits.max ? digits.max : null);
  // A suppressed code has no verification and no message. The version must not show that.
  const sent = suppresses ? null : (verificationId ?? messageId);
  return {
    status: "code_sent",
    // The instants, and not the seconds until then. A pause between checks ends at an instant that an attempt has set.
    version: versionOf(tag, expiresAt, resendAt, attemptsLeft, sends, codeLength, delivery, sent),
    transaction: tag,
    phone: maskPhone(transaction.phone),
    expiresInSeconds: secondsUntil(expiresAt, clock.now()),
    resendInSeconds: secondsUntil(resendAt, clock.now()),
    channels: number ? channelsOf(channels, number) : [],
    codeLength,
    ...reported,
  };
}

/** Returns an opaque text that changes whenever a part changes. It reveals nothing else. */
export function versionOf(...parts: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(parts), "base64url").slice(0, 16);
}

function secondsUntil(instant: number, now: number): number {
  return Math.max(0, Math.ceil((instant - now) / 1000));
}

/** How far a code has come. The service's own words stay on the server: they may tell about the line. */
export type DeliveryStatus = "sending" | "sent" | "delivered" | "failed" | "unknown";

/** The delivery of the newest code, as the service's webhooks report it. */
export interface CodeDelivery {
  /** The status on the channel that has come farthest. */
  readonly status: DeliveryStatus;
  /** That channel; left out until an event has named one. */
  readonly channel?: string;
  /** One attempt for each channel, in the order of their first events. */
  readonly attempts: readonly { readonly channel: string; readonly status: DeliveryStatus }[];
}

/** From the statuses of messages that the specification names, and a few that services have besides. */
const statuses: ReadonlyMap<string, DeliveryStatus> = new Map([
  ["QUEUED", "sending"],
  ["PENDING", "sending"],
  ["BUFFERED", "sending"],
  ["SENT", "sent"],
  ["DELIVERED", "delivered"],
  ["READ", "delivered"],
  ["FAILED", "failed"],
  ["UNDELIVERED", "failed"],
]);

const fromBestToWorst: readonly DeliveryStatus[] = ["delivered", "sent", "sending", "unknown", "failed"];

/** Describes a delivery for a page, in coarse words. @see "Message statuses" of the specification */
export function describeDelivery({ status, attempts: reported }: DeliveryState): CodeDelivery {
  const attempts = reported.map(({ channel, status: word }) => ({ channel, status: readStatus(word) }));
  const whole = readStatus(status);
  const [best] = attempts.toSorted((left, right) => rankOf(left.status) - rankOf(right.status));
  if (!best) return { status: whole, attempts };
  // After a failed channel the service may try the next one.
  const goesOn = best.status === "failed" && whole === "sending";
  return { status: goesOn ? whole : best.status, channel: best.channel, attempts };
}

function readStatus(word: string | undefined): DeliveryStatus {
  return statuses.get(word?.toUpperCase() ?? "") ?? "unknown";
}

function rankOf(status: DeliveryStatus): number {
  return fromBestToWorst.indexOf(status);
}

/** A country whose numbers may log in. */
export interface OfferedCountry {
  /** Its ISO 3166 code. */
  readonly country: string;
  /** Its calling code, without the `+`. Several countries may have the same. */
  readonly callingCode: string;
  /** A mobile number as it is dialled inside the country, to show beside the field for the number. */
  readonly example: string;
}

/** A login as far as every page may know it, before anybody types a number. */
export interface LoginOffer {
  /** In the order of `login.countries`. */
  readonly countries: readonly OfferedCountry[];
  /** The number of digits of a code; `null` if it varies. The state of a login with longer codes tells. */
  readonly codeLength: number | null;
  /** Present if a person may choose that this browser asks for no further step-up for a time. */
  readonly remembers?: true;
}

/** Describes a login for its pages. */
export function createOffer(
  { countries, codes }: Pick<LoginDeps, "countries" | "codes">,
  remembers = false,
): LoginOffer {
  const { min, max } = codes.digits;
  const offered = countries === "any" ? allCountries : countries.filter(isCountry);
  return {
    countries: offered.map((country) => ({ country, ...numberFormOf(country) })),
    codeLength: min === max ? max : null,
    ...(remembers && { remembers: true as const }),
  };
}
