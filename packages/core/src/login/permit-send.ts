import { z } from "zod";
import type { Decision, SendDecision } from "../limits/decision.ts";
import { giveBackCode, reserveNumber } from "../limits/send-limits.ts";
import type { PhoneNumber } from "../phone/phone-number.ts";
import type { Awaitable } from "../util/awaitable.ts";
import { CallbackMistake, callApp, callAppInTime } from "../util/call-app.ts";
import type { ClientAddress } from "../util/client-address.ts";
import { secondsSince } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import type { BeforeSendContext } from "./callbacks.ts";
import type { LoginDeps } from "./login-deps.ts";
import type { LoginTransaction } from "./transaction.ts";

/** The client that asks for a code. */
export interface Asker {
  /** Its address, by the framework's own proxy rules. */
  readonly client: ClientAddress;
  /** The token of a challenge that it has solved. */
  readonly challenge: string | undefined;
  /** Reads what the app adds to the context of `beforeSend`. */
  readonly readSignals: () => Awaitable<unknown>;
}

/** A code that somebody asks for. */
export interface CodeRequest {
  readonly asker: Asker;
  readonly login: Pick<LoginTransaction, "loginId" | "purpose" | "phone" | "session">;
  readonly number: PhoneNumber;
  readonly channels: readonly string[];
  /** True for another code of the same login. */
  readonly resend: boolean;
  /** True if the app has suppressed a code of this login before: then it has no other one. */
  readonly isSuppressed: boolean;
}

/** A code that may be sent. */
export interface PermittedCode extends Decision {
  /** True for a code that is not sent, without the browser learning of it. */
  readonly isSuppressed: boolean;
}

/**
 * Tells whether the limits only look at the number's budgets at first. While the app decides, starts of strangers would
 * keep the number's budgets reserved, and its owner out. So they are reserved afterwards.
 */
export function isTentative({ callbacks }: LoginDeps): boolean {
  return callbacks.beforeSend !== undefined;
}

/**
 * Decides whether a code is sent: by the limits, and by the app's `beforeSend`. Every code of the kit passes here. A
 * code that is refused takes back what it has added to the counters.
 *
 * @throws {@link DoorcodeError} the refusal of the limits, `challenge_required`, `send_denied`, `send_undecided` or
 * `store_unavailable`
 * @throws CallbackMistake for an answer that `beforeSend` must not give
 */
export async function permitSend(deps: LoginDeps, limited: Decision, asked: CodeRequest): Promise<PermittedCode> {
  const { refused, event } = limited;
  // The app cannot pass a budget of the number.
  if (!deps.callbacks.beforeSend || (refused && !refused.group)) return followLimits(deps, limited);
  const [asking] = await Promise.allSettled([askBeforeSend(deps, limited, asked)]);
  if (asking.status === "rejected") return refuseByApp(deps, limited, "refused", asking.reason, "nothing");
  const { action, trusts } = asking.value;
  // A client that asks without end closes its own address. The number and its block lose nothing by a stranger's
  // starts.
  if (action === "challenge") {
    return refuseByApp(deps, limited, "challenged", new DoorcodeError("challenge_required"), "client");
  }
  if (action === "deny") return refuseByApp(deps, limited, "refused", new DoorcodeError("send_denied"), "client");
  if (refused && !trusts) return followLimits(deps, limited);

  const reserved = await reserveBudgets(deps, { ...limited, refused: undefined }, asked.login.phone);
  const isSuppressed = action === "suppress" || asked.isSuppressed;
  if (isSuppressed) deps.publish(eventOfApp(event, "suppressed"));
  else deps.publish(refused ? eventOfApp(event, "trusted") : event);
  return { ...reserved, isSuppressed };
}

/** Lets the limits decide. */
async function followLimits(deps: LoginDeps, limited: Decision): Promise<PermittedCode> {
  deps.publish(limited.event);
  if (!limited.refused) return { ...limited, isSuppressed: false };
  // If the store fails at undoing, what is left expires by itself.
  await Promise.allSettled([giveBackCode(deps, limited)]);
  throw limited.refused.error;
}

async function refuseByApp(
  deps: LoginDeps,
  limited: Decision,
  outcome: AppOutcome,
  refusal: unknown,
  kept: "nothing" | "client",
): Promise<never> {
  deps.publish(eventOfApp(limited.event, outcome));
  await Promise.allSettled([giveBackCode(deps, limited, kept)]);
  throw refusal;
}

/** Reserves the number's budgets, which the limits have only read. */
async function reserveBudgets(deps: LoginDeps, code: Decision, phone: string): Promise<Decision> {
  const [reserving] = await Promise.allSettled([reserveNumber(deps, phone, code.counted)]);
  if (reserving.status === "rejected") {
    await Promise.allSettled([giveBackCode(deps, code)]);
    throw reserving.reason;
  }
  const { refused, event, cooldownSeconds, granted } = reserving.value;
  const reserved = { ...code, refused, event, cooldownSeconds, granted: [...code.granted, ...granted] };
  return refused ? followLimits(deps, reserved) : reserved;
}

type AppOutcome = "refused" | "challenged" | "suppressed" | "trusted";

/** Returns the event of a decision of the app. It names the limit that would have refused, if the app has decided against it. */
function eventOfApp(event: SendDecision, outcome: AppOutcome): SendDecision {
  if (event.outcome === "refused" && outcome !== "refused") return { ...event, outcome };
  const { limit: _, count: __, threshold: ___, ...facts } = event;
  return { ...facts, outcome, limit: "app" };
}

const answerShape = z.union([
  z.enum(["allow", "challenge", "suppress", "deny"]).transform((action) => ({ action, trusts: false })),
  // An answer that also holds against a limit.
  z.strictObject({ trust: z.enum(["allow", "suppress"]) }).transform(({ trust }) => ({ action: trust, trusts: true })),
]);

/** The app's answer, in one form. */
type AppAnswer = z.output<typeof answerShape>;

const maxSeconds = 3;
const retryAfterSeconds = 5;

/**
 * Asks the app about a code. If it fails or takes too long, the code is refused, or allowed with `beforeSendFails:
 * "open"`.
 */
async function askBeforeSend(deps: LoginDeps, limited: Decision, asked: CodeRequest): Promise<AppAnswer> {
  const { clock, callbacks, beforeSendFails, suppresses, publishLogin } = deps;
  const startedAt = clock.now();
  const publishEnd = (outcome: "accepted" | "refused" | "failed") => {
    const durationSeconds = secondsSince(clock, startedAt);
    publishLogin(asked.login, { type: "login.callback_ended", callback: "beforeSend", outcome, durationSeconds });
  };
  const ask = async (signal: AbortSignal) => {
    const signals = await callApp("phoneLogin.signals", asked.asker.readSignals);
    return callbacks.beforeSend?.({ ...contextOf(limited, asked), signals, signal });
  };
  try {
    const answer = parseAnswer(await callAppInTime("login.beforeSend", clock, ask, maxSeconds), suppresses);
    publishEnd(answer.action === "allow" ? "accepted" : "refused");
    return answer;
  } catch (error) {
    publishEnd("failed");
    publishLogin(asked.login, { type: "login.before_send_failed", error });
    // A wrong answer is a mistake in the code of the app, and was perhaps meant to refuse.
    if (error instanceof CallbackMistake) throw error;
    if (beforeSendFails === "open") return { action: "allow", trusts: false };
    throw new DoorcodeError("send_undecided", { retryAfterSeconds, cause: error });
  }
}

function contextOf(
  limited: Decision,
  { asker, login, number, channels, resend }: CodeRequest,
): Omit<BeforeSendContext, "signals" | "signal"> {
  const { country, knownNumber, knownDevice, onAlert, appOnAlert } = limited.event;
  return {
    loginId: login.loginId,
    purpose: login.purpose,
    userId: login.session?.userId,
    phone: login.phone,
    country,
    numberType: number.type,
    resend,
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

const expectedAnswer =
  'login.beforeSend must return "allow", "challenge", "suppress", "deny", { trust: "allow" } or { trust: "suppress" }.';
const forbiddenSuppression =
  "login.beforeSend must not suppress a code with login.suppresses: false, which shows the delivery of codes: leave " +
  'the option out, or return "deny".';

function parseAnswer(answer: unknown, suppresses: boolean): AppAnswer {
  const parsed = answerShape.safeParse(answer ?? "allow").data;
  if (!parsed) throw new CallbackMistake(expectedAnswer);
  if (parsed.action === "suppress" && !suppresses) throw new CallbackMistake(forbiddenSuppression);
  return parsed;
}
