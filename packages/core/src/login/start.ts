import { randomUUID } from "node:crypto";
import { type Purpose, parseLanguage } from "../codes/code-strategy.ts";
import { codeLengthAfter } from "../limits/login-limits.ts";
import { giveBackCode } from "../limits/send-limits.ts";
import { allowPhone, channelsFor, parseTypedPhone } from "../phone/allowed-numbers.ts";
import type { PhoneNumber } from "../phone/phone-number.ts";
import { secondsSince } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import { digestOfId, newRandomText } from "../util/keys.ts";
import { type AppSession, readAccountPhone, readReplacedPhone } from "./account.ts";
import type { LoginDeps } from "./login-deps.ts";
import type { Consent } from "./login-event.ts";
import { type AllowedCode, type Asker, allowSend, nextCode, sendCode } from "./send.ts";
import { type CodeSentState, describeCode, readOpenLogin } from "./state.ts";
import {
  belongsTo,
  dropTransaction,
  type LoginTransaction,
  transactionKeyOf,
  writeLogin,
  writeNewestCode,
} from "./transaction.ts";

/** A request for a code. A step-up takes its number from the account and ignores `phone`. */
export interface StartRequest {
  readonly purpose: Purpose;
  readonly phone: string | undefined;
  /** The ISO 3166 code of the country that the person chose. */
  readonly country: string | undefined;
  readonly channel: string | undefined;
  /** The language of the page, as the page writes it. */
  readonly language: string | undefined;
  readonly consent: Consent | undefined;
  readonly deviceId: string | undefined;
  readonly session: AppSession | undefined;
  /** The id of the transaction that the browser had before. The last start wins. */
  readonly replaces: string | undefined;
  /** Creates the id of a transaction, of the form in which this client carries it. */
  readonly newId: () => string;
  readonly asker: Asker;
}

/** A login that is open in a browser now. */
export interface StartedLogin {
  /** The id of its transaction, for the client to carry. */
  readonly id: string;
  readonly phone: string;
  readonly state: CodeSentState;
}

/**
 * Starts a login: checks the number, reserves its budgets, and sends one code. A start for the number of the browser's open login goes on
 * with that login and sends nothing: going back, a second click and a reload are no failures.
 *
 * @throws {@link DoorcodeError} `phone_invalid`, `country_not_allowed`, `number_type_not_allowed`, `channel_not_allowed`, `login_required`,
 * `proof_required`, `cooldown`, `send_limit_reached`, `number_range_closed`, `client_limit_reached`, `hourly_ceiling_reached`,
 * `daily_ceiling_reached`, `cost_ceiling_reached`, `challenge_required`, `send_denied`, `send_undecided`, `send_failed`,
 * `service_unavailable`, `service_rate_limited` or `store_unavailable`
 */
export async function start(deps: LoginDeps, request: StartRequest): Promise<StartedLogin> {
  const { purpose, session, replaces, asker } = request;
  const startedAt = deps.clock.now();
  // Step 1: the number may log in, and a channel takes it.
  const number = await readNumber(deps, request);
  const phone = number.e164;
  const channels = channelsFor(deps.channels, number, request.channel);
  // Step 2: an open login of the number in this browser goes on.
  const before = await readOpenLogin(deps, { purpose, id: replaces });
  if (replaces !== undefined && before?.transaction.phone === phone && belongsTo(before.transaction, session)) {
    return { id: replaces, phone, state: before.state };
  }
  // Step 3: a link replaces the account's number only after a recent proof of that.
  const oldPhone = purpose === "link" && session ? await readReplacedPhone(deps, session, phone) : undefined;
  // Step 4: the limits reserve the code, and the app decides about it.
  const login = { loginId: randomUUID(), purpose, phone, session: sessionOf(request) };
  const deviceDigest = request.deviceId === undefined ? undefined : digestOfId(request.deviceId);
  const allowed = await allowSend(deps, { asker, login, number, channels, deviceDigest });
  // Step 5: the login is stored before its code is sent, so that an early webhook and a fast confirmation find it. It
  // began before the limits read what is known of the number: a login that was completed since supersedes it.
  const id = request.newId();
  const key = transactionKeyOf(deps, id);
  const transaction = { ...login, oldPhone, createdAt: startedAt, ...codesOfLogin(deps, request, phone, allowed) };
  const open = { key, transaction, code: nextCode(deps, transaction, allowed, channels) };
  await writeLogin(deps, open).catch(async (error: unknown) => {
    // Nothing is sent, so the limits get back what the code has added.
    await Promise.allSettled([giveBackCode(deps, allowed)]);
    throw error;
  });
  // Step 6: the code is sent, and the service's id of it is stored.
  const accepted = await sendCode(deps, open, channels, allowed);
  const sent = { ...open, code: { ...open.code, ...accepted } };
  await writeNewestCode(deps, key, sent.code);
  // Step 7: only now the login before it ends. Without the new login, the browser goes on with the one that it had.
  if (replaces !== undefined) await dropTransaction(deps, replaces);
  if (!allowed.isSuppressed) {
    const { consent } = request;
    const durationSeconds = secondsSince(deps.clock, startedAt);
    deps.publishLogin(transaction, { type: "login.started", durationSeconds, ...(consent && { consent }) });
  }
  return { id, phone, state: describeCode(deps, id, sent) };
}

async function readNumber(deps: LoginDeps, request: StartRequest): Promise<PhoneNumber> {
  const { purpose, session, phone, country } = request;
  if ((purpose === "link" || purpose === "step_up") && !session) throw new DoorcodeError("login_required");
  if (purpose === "step_up" && session) {
    const known = await readAccountPhone(deps, session.userId);
    if (known === undefined) throw new DoorcodeError("phone_invalid", { message: "This account has no phone number." });
    return known;
  }
  if (phone === undefined) throw new DoorcodeError("phone_invalid", { message: "`phone` is missing." });
  return allowPhone(parseTypedPhone(phone, country, deps.countries), deps.countries);
}

/** Returns the session that the login is held to, without the user, who does not belong in the store. */
function sessionOf({ purpose, session }: StartRequest): LoginTransaction["session"] {
  if (purpose === "login" || !session) return undefined;
  return { userId: session.userId, sessionId: session.sessionId };
}

function codesOfLogin(
  { codes, keys, limits }: LoginDeps,
  { language }: StartRequest,
  phone: string,
  { failures }: AllowedCode,
): Pick<LoginTransaction, "codeKey" | "codeSeed" | "codeLength" | "language"> {
  return {
    codeKey: keys.newestName,
    codeSeed: newRandomText(),
    codeLength: codes.lengthensCodes(phone) ? codeLengthAfter(limits, failures, codes.digits.min) : undefined,
    language: parseLanguage(language),
  };
}
