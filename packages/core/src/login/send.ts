import { z } from "zod";
import { type AcceptedCode, maxCodeSeconds } from "../codes/code-strategy.ts";
import type { Decision, SendDecision } from "../limits/decision.ts";
import { countCode, countForClient, giveBackCode, readCode, reserveCode } from "../limits/send-limits.ts";
import type { PhoneNumber } from "../phone/phone-number.ts";
import { type Awaitable, CallbackMistake, callApp, callAppInTime } from "../util/call-app.ts";
import type { ClientAddress } from "../util/client.ts";
import { secondsSince } from "../util/clock.ts";
import { DoorcodeError, isDoorcodeError } from "../util/errors.ts";
import { rememberCodeMessage } from "../webhooks/entity-record.ts";
import type { BeforeSendContext } from "./callbacks.ts";
import type { LoginDeps } from "./login-deps.ts";
import { expiryOf, type LoginTransaction, loginCodeOf, type NewestCode, type OpenTransaction } from "./transaction.ts";

/** The client that asks for a code. */
export interface Asker {
  /** Its address, by the framework's own proxy rules. */
  readonly client: ClientAddress;
  readonly challenge: string | undefined;
  /** Reads what the app adds to the context of `beforeSend`. */
  readonly readSignals: () => Awaitable<unknown>;
}

/** A code that somebody asks for. */
export interface SendRequest {
  readonly asker: Asker;
  readonly login: Pick<LoginTransaction, "loginId" | "purpose" | "phone" | "session">;
  readonly number: PhoneNumber;
  readonly channels: readonly string[];
  readonly deviceDigest?: string | undefined;
  /** The code that the login has had; `undefined` for its first one. */
  readonly before?: Pick<NewestCode, "facts" | "sends" | "isSuppressed"> | undefined;
}

/** A code that may be sent. */
export interface AllowedCode extends Decision {
  /** True for a code that is not sent, without the browser learning of it. */
  readonly isSuppressed: boolean;
}

/**
 * Decides whether a code is sent, by the limits and `beforeSend`. Every code of the kit passes here. A refused code is given back.
 *
 * @throws {@link DoorcodeError} the refusal of the limits, `challenge_required`, `send_denied`, `send_undecided` or `store_unavailable`
 * @throws CallbackMistake for an answer that `beforeSend` must not give
 */
export async function allowSend(deps: LoginDeps, request: SendRequest): Promise<AllowedCode> {
  const { asker, login, number, deviceDigest, before } = request;
  const asksApp = deps.callbacks.beforeSend !== undefined;
  const code = {
    phone: login.phone,
    country: number.country ?? "",
    client: asker.client,
    deviceDigest,
    before,
    asksApp,
  };
  if (!asksApp) return { ...(await publishDecision(deps, await reserveCode(deps, code))), isSuppressed: false };
  // Before the app has answered nothing is counted: a stranger's starts must not lock the owner of a number out, or close its block.
  const read = await readCode(deps, code);
  const { refused, event } = read;
  // The app cannot pass a budget of the number.
  if (refused && !refused.group) return refuse(deps, read, event, refused.error);
  const [asking] = await Promise.allSettled([askBeforeSend(deps, read, request)]);
  if (asking.status === "rejected") return refuse(deps, read, eventOfApp(event, "refused"), asking.reason);
  const { action, trusts } = asking.value;
  if (action === "challenge" || action === "deny") {
    deps.publish(eventOfApp(event, action === "challenge" ? "challenged" : "refused"));
    // If the store fails now, the code is refused all the same.
    await Promise.allSettled([countForClient(deps, login.phone, read)]);
    throw new DoorcodeError(action === "challenge" ? "challenge_required" : "send_denied");
  }
  if (refused && !trusts) return refuse(deps, read, event, refused.error);

  // A login of which one code was suppressed has no other one.
  const isSuppressed = action === "suppress" || before?.isSuppressed === true;
  const outcome = isSuppressed ? "suppressed" : refused && "trusted";
  const reserved = await countCode(deps, { ...code, isTrusted: trusts });
  return { ...(await publishDecision(deps, reserved, outcome && eventOfApp(event, outcome))), isSuppressed };
}

/** Publishes the decision about a code, or that of the app. A refused code is given back. */
async function publishDecision(deps: LoginDeps, code: Decision, ofApp: SendDecision = code.event): Promise<Decision> {
  if (code.refused) return refuse(deps, code, code.event, code.refused.error);
  deps.publish(ofApp);
  return code;
}

async function refuse(deps: LoginDeps, code: Decision, event: SendDecision, error: unknown): Promise<never> {
  deps.publish(event);
  // If the store fails at undoing, what is left expires by itself.
  await Promise.allSettled([giveBackCode(deps, code)]);
  throw error;
}

/** A decision of the app names the limit that would have refused, if the app has decided against it. */
function eventOfApp(event: SendDecision, outcome: "refused" | "challenged" | "suppressed" | "trusted"): SendDecision {
  // Only a refusal closes a group.
  const { closedForSeconds: _, ...rest } = event;
  if (event.outcome === "refused" && outcome !== "refused") return { ...rest, outcome };
  const { type, country, onAlert, appOnAlert, knownNumber, knownDevice } = event;
  return { type, country, onAlert, appOnAlert, knownNumber, knownDevice, outcome, limit: "app" };
}

const answerShape = z.union([
  z.enum(["allow", "challenge", "suppress", "deny"]).transform((action) => ({ action, trusts: false })),
  // An answer that also holds against a limit.
  z.strictObject({ trust: z.enum(["allow", "suppress"]) }).transform(({ trust }) => ({ action: trust, trusts: true })),
]);

const maxSeconds = 3;

/** Asks the app about a code. If it fails or is late, the code is refused, or allowed with `beforeSendFails: "open"`. */
async function askBeforeSend(
  deps: LoginDeps,
  limited: Decision,
  request: SendRequest,
): Promise<z.output<typeof answerShape>> {
  const { clock, callbacks, beforeSendFails, suppresses, publishLogin } = deps;
  const startedAt = clock.now();
  const publishEnd = (outcome: "accepted" | "refused" | "failed") => {
    const durationSeconds = secondsSince(clock, startedAt);
    publishLogin(request.login, { type: "login.callback_ended", callback: "beforeSend", outcome, durationSeconds });
  };
  const ask = async (signal: AbortSignal) => {
    const signals = await callApp("phoneLogin.signals", request.asker.readSignals);
    return callbacks.beforeSend?.({ ...contextOf(limited, request), signals, signal });
  };
  try {
    const answer = answerShape.safeParse((await callAppInTime("login.beforeSend", clock, ask, maxSeconds)) ?? "allow");
    if (!answer.data) throw new CallbackMistake(expectedAnswer);
    if (answer.data.action === "suppress" && !suppresses) throw new CallbackMistake(forbiddenSuppression);
    publishEnd(answer.data.action === "allow" ? "accepted" : "refused");
    return answer.data;
  } catch (error) {
    publishEnd("failed");
    publishLogin(request.login, { type: "login.before_send_failed", error });
    // A wrong answer is a mistake in the code of the app, and was perhaps meant to refuse.
    if (error instanceof CallbackMistake) throw error;
    if (beforeSendFails === "open") return { action: "allow", trusts: false };
    throw new DoorcodeError("send_undecided", { retryAfterSeconds: 5, cause: error });
  }
}

const expectedAnswer =
  'login.beforeSend must return "allow", "challenge", "suppress", "deny", { trust: "allow" } or { trust: "suppress" }.';
const forbiddenSuppression =
  "login.beforeSend must not suppress a code with login.suppresses: false, which shows the delivery of codes: leave " +
  'the option out, or return "deny".';

function contextOf(
  limited: Decision,
  { asker, login, number, channels, before }: SendRequest,
): Omit<BeforeSendContext, "signals" | "signal"> {
  const { country, knownNumber, knownDevice, onAlert, appOnAlert } = limited.event;
  return {
    loginId: login.loginId,
    purpose: login.purpose,
    userId: login.session?.userId,
    phone: login.phone,
    country,
    numberType: number.type,
    resend: before !== undefined,
    channels,
    client: asker.client,
    knownNumber,
    knownDevice,
    onAlert,
    appOnAlert,
    counters: limited.counters,
    refusedBy: limited.refused?.limit,
    challenge: asker.challenge,
  };
}

/** Returns the code that is sent now: the first one of a login, the same one again, or a new one. */
export function nextCode(
  { clock, codes }: LoginDeps,
  transaction: LoginTransaction,
  { cooldownSeconds, isSuppressed, facts }: AllowedCode,
  channels: readonly string[],
  before?: NewestCode,
): NewestCode {
  const now = clock.now();
  const isSameCode = before && !codes.answersOnce && now - before.codeSentAt < (maxCodeSeconds / 2) * 1000;
  const { sends, codeNumber } = before ?? { sends: 0, codeNumber: 0 };
  const codeSentAt = isSameCode ? before.codeSentAt : now;
  return {
    ...before,
    sends: sends + 1,
    codeNumber: isSameCode ? codeNumber : codeNumber + 1,
    codeSentAt,
    expiresAt: expiryOf(transaction, codeSentAt, now, codes.lifetimeSeconds),
    resendAt: now + cooldownSeconds * 1000,
    channel: channels[0] ?? "",
    facts,
    // A login of which one code was suppressed stays so, because a code of the app may be in both texts.
    isSuppressed: before?.isSuppressed === true || isSuppressed,
  };
}

/**
 * Sends a code that the limits and the app allow, or waits as long for a suppressed one. Every code of the kit is sent here. A send that
 * surely failed gives back what was reserved for it; after an unknown outcome the code may be on its way.
 *
 * @throws {@link DoorcodeError} `send_failed` when the service refused; `service_unavailable` or `service_rate_limited` when it may work
 * later
 */
export async function sendCode(
  deps: LoginDeps,
  open: OpenTransaction,
  channels: readonly string[],
  allowed: AllowedCode,
): Promise<AcceptedCode> {
  const { transaction, code } = open;
  const startedAt = deps.clock.now();
  const describe = () => ({ channel: code.channel, durationSeconds: secondsSince(deps.clock, startedAt) });
  try {
    const accepted = await deps.codes.send(loginCodeOf(open), channels);
    if (!code.isSuppressed) deps.publishLogin(transaction, { type: "login.code_sent", ...describe() });
    const { messageId } = accepted;
    if (messageId !== undefined) await rememberCodeMessage(deps, { phone: transaction.phone, messageId });
    return accepted;
  } catch (error) {
    deps.publishLogin(transaction, { type: "login.send_failed", ...describe(), error });
    const isTemporary =
      isDoorcodeError(error) && (error.code === "service_unavailable" || error.code === "service_rate_limited");
    // A number that the service refuses keeps counting for its client, who could ask for it without end.
    // If the store fails too, the browser still learns why no code comes; the counters expire by themselves.
    if (surelyFailed(error))
      await Promise.allSettled([giveBackCode(deps, allowed, isTemporary ? "nothing" : "client")]);
    if (!isDoorcodeError(error)) throw error;
    // The browser only needs to know whether to try again. The service's words are for `onEvent`.
    const { outcome = "unknown", retryAfterSeconds = 5 } = error;
    if (!isTemporary) throw new DoorcodeError("send_failed", { outcome, cause: error });
    throw new DoorcodeError(error.code, { outcome, retryAfterSeconds, cause: error });
  }
}

/** Returns true when the code of a failed send was surely not sent. */
export function surelyFailed(error: unknown): boolean {
  return isDoorcodeError(error) && error.outcome === "refused";
}
