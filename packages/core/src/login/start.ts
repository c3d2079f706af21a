import { parseLanguage } from "../codes/language.ts";
import type { Purpose } from "../codes/purpose.ts";
import { codeLengthAfter } from "../limits/failures.ts";
import type { AllowedCode, RefusedCode } from "../limits/limited-code.ts";
import type { PhoneNumber } from "../phone/phone-number.ts";
import { allowTypedPhone, channelsFor } from "../phone/policy.ts";
import { secondsSince } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import { rememberCodeMessage } from "../webhooks/code-messages.ts";
import { readAccountPhone, readReplacedPhone } from "./account.ts";
import { type CodeSentState, describeStarted, readUnderWay } from "./code-sent-state.ts";
import { digestOfDevice } from "./device.ts";
import type { LoginDeps } from "./login-deps.ts";
import { type AskedCode, type Asker, isTentative, permitSend } from "./permit-send.ts";
import type { AppSession } from "./request-sessions.ts";
import { sendCode } from "./send-code.ts";
import { belongsTo, expiryOf, type LoginTransaction, newRandomText } from "./transaction.ts";
import { loginIdOf } from "./transaction-record.ts";
import { dropTransaction, transactionKeyOf, writeTransaction } from "./transaction-store.ts";

/** A request for a code. A step-up takes its number from the account and ignores `phone`. */
export interface StartRequest {
  readonly purpose: Purpose;
  /** The number as the person typed it. */
  readonly phone: string | undefined;
  /** The ISO 3166 code of the country that the person chose. */
  readonly country: string | undefined;
  /** The channel to try first. */
  readonly channel: string | undefined;
  /** The language of the page, as the page writes it. */
  readonly language: string | undefined;
  /** The id in the cookie of the device. */
  readonly device: string | undefined;
  /** The session that the browser has already. */
  readonly session: AppSession | undefined;
  /** The id of the transaction that the browser had before. The last start wins. */
  readonly replaces: string | undefined;
  /** Creates the id of a transaction, of the form in which this client carries it. */
  readonly newId: () => string;
  readonly asker: Asker;
}

/** A login that a browser has under way now. */
export interface StartedLogin {
  /** The id of its transaction, for the client to carry. */
  readonly id: string;
  /** The number in E.164. */
  readonly phone: string;
  readonly state: CodeSentState;
}

/**
 * Starts a login: checks the number, reserves its budgets, and sends one code.
 *
 * A start for the number whose login is already under way in this browser goes on with that login and sends nothing: going
 * back, a second click and a reload are no failures. The transaction is stored before the code is sent, so that an early
 * webhook or a fast confirmation finds it.
 *
 * @throws {@link DoorcodeError} `phone_invalid`, `country_not_allowed`, `number_type_not_allowed`,
 * `channel_not_allowed`, `login_required`, `proof_required`, `cooldown`, `send_limit_reached`, `number_range_closed`,
 * `client_limit_reached`, `hourly_ceiling_reached`, `daily_ceiling_reached`, `cost_ceiling_reached`, `challenge_required`, `send_denied`, `send_undecided`, `send_failed`, `service_unavailable`,
 * `service_rate_limited` or `store_unavailable`
 */
export async function start(deps: LoginDeps, request: StartRequest): Promise<StartedLogin> {
  const { purpose, session, replaces } = request;
  const startedAt = deps.clock.now();
  const number = await phoneToProve(deps, request);
  const phone = number.e164;
  const channels = channelsFor(deps, number, request.channel);
  if (replaces !== undefined) {
    const underWay = await readUnderWay(deps, { purpose, id: replaces });
    const goesOn = underWay?.transaction.phone === phone && belongsTo(underWay.transaction, session);
    if (goesOn) return { id: replaces, phone, state: underWay.state };
  }
  const id = request.newId();
  const key = transactionKeyOf(deps, id);
  const oldPhone = purpose === "link" && session ? await readReplacedPhone(deps, session, phone) : undefined;
  const begun = { ...newTransaction(deps, request, key, phone), oldPhone };
  const limited = await reserveAndWrite(deps, key, begun, { ...request, country: number.country });
  const asked: AskedCode = { asker: request.asker, transaction: begun, number, channels, resend: false };
  const permitted = await permitSend(deps, limited, asked);
  if ("refusal" in permitted) {
    // If the store fails at undoing, what is left expires by itself.
    await Promise.allSettled([dropTransaction(deps, key), permitted.undo()]);
    throw permitted.refusal;
  }

  // No browser has the id before the answer, so what was decided is written in time.
  const codeLength = chooseCodeLength(deps, phone, permitted);
  const transaction = { ...begun, codeLength, ...(permitted.isSuppressed && { isSuppressed: true }) };
  const accepted = await sendCode(deps, { key, transaction }, channels, permitted);
  const resendAt = deps.clock.now() + permitted.cooldownSeconds * 1000;
  const sent = { ...transaction, ...accepted, resendAt, counted: permitted.counted };
  await Promise.all([writeTransaction(deps, key, sent), rememberCodeMessage(deps, sent)]);
  // Only now: without the new login, the browser goes on with the one that it had.
  if (replaces !== undefined) await dropTransaction(deps, transactionKeyOf(deps, replaces));
  if (!sent.isSuppressed) {
    deps.publishLogin(sent, { type: "login.started", durationSeconds: secondsSince(deps.clock, startedAt) });
  }
  return { id, phone, state: describeStarted(deps, id, sent) };
}

/** Returns the number of digits of a login's codes; `undefined` if it is not the kit that chooses it. */
function chooseCodeLength({ codes, limits }: LoginDeps, phone: string, { failures }: AllowedCode): number | undefined {
  return codes.lengthensCodes(phone) ? codeLengthAfter(limits, failures, codes.digits.min) : undefined;
}

async function phoneToProve(deps: LoginDeps, request: StartRequest): Promise<PhoneNumber> {
  const { purpose, session, phone, country } = request;
  if ((purpose === "link" || purpose === "step_up") && !session) throw new DoorcodeError("login_required");
  if (purpose === "step_up" && session) {
    const known = await readAccountPhone(deps, session.userId);
    if (known === undefined) throw new DoorcodeError("phone_invalid", { message: "This account has no phone number." });
    return known;
  }
  if (phone === undefined) throw new DoorcodeError("phone_invalid", { message: "`phone` is missing." });
  return allowTypedPhone(phone, country, deps.countries);
}

function newTransaction(deps: LoginDeps, request: StartRequest, key: string, phone: string): LoginTransaction {
  const { purpose, session } = request;
  const now = deps.clock.now();
  const language = parseLanguage(request.language);
  return {
    loginId: loginIdOf(key),
    purpose,
    phone,
    createdAt: now,
    expiresAt: expiryOf({ createdAt: now, codeSentAt: now }, now, deps.codes.lifetimeSeconds),
    resendAt: now,
    sends: 1,
    codeNumber: 1,
    codeSentAt: now,
    codeKey: deps.keys.newestName,
    codeSeed: newRandomText(),
    ...(language !== undefined && { language }),
    // Without the user, who does not belong in the store.
    ...(purpose !== "login" && session && { session: { userId: session.userId, sessionId: session.sessionId } }),
  };
}

/**
 * Reserves the code and writes the transaction, in one round trip. Both are done before the code is sent. Until then the
 * transaction is harmless, because no browser has its id.
 */
async function reserveAndWrite(
  deps: LoginDeps,
  key: string,
  transaction: LoginTransaction,
  { country = "", asker, device }: Pick<StartRequest, "country" | "asker" | "device">,
): Promise<AllowedCode | RefusedCode> {
  const [limited, written] = await Promise.allSettled([
    deps.sendLimits.reserve({
      phone: transaction.phone,
      country,
      client: asker.client,
      ...(device !== undefined && { device: digestOfDevice(device) }),
      isTentative: isTentative(deps),
    }),
    writeTransaction(deps, key, transaction),
  ]);
  if (limited.status === "rejected") {
    await Promise.allSettled([dropTransaction(deps, key)]);
    throw limited.reason;
  }
  if (written.status === "fulfilled" || "refusal" in limited.value) return limited.value;
  await Promise.allSettled([dropTransaction(deps, key), limited.value.giveBack()]);
  throw written.reason;
}
