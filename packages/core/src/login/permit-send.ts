import type { AllowedCode, Kept, RefusedCode, SendDecision } from "../limits/limited-code.ts";
import type { PhoneNumber } from "../phone/phone-number.ts";
import type { Awaitable } from "../util/awaitable.ts";
import type { ClientAddress } from "../util/client-address.ts";
import { DoorcodeError } from "../util/errors.ts";
import { type AppAnswer, type AskContext, askBeforeSend } from "./ask-before-send.ts";
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
export interface AskedCode {
  readonly asker: Asker;
  readonly transaction: LoginTransaction;
  readonly number: PhoneNumber;
  readonly channels: readonly string[];
  readonly resend: boolean;
}

/** A code that may be sent. */
export interface PermittedCode extends AllowedCode {
  /** True for a code that is not sent, without the browser learning of it. */
  readonly isSuppressed: boolean;
}

/** A code that may not be sent. */
export interface RefusedSend {
  readonly refusal: unknown;
  /** Takes back what the code has added to the counters. */
  undo(): Promise<void>;
}

/**
 * Tells whether the limits only look at the number's budgets at first. While the app decides, starts of strangers would keep the
 * number's budgets reserved, and its owner out. So they are reserved afterwards, in a trip of their own.
 */
export function isTentative({ callbacks }: LoginDeps): boolean {
  return callbacks.beforeSend !== undefined;
}

/** Decides whether a code is sent: by the limits, and by the app's `beforeSend`. Every code of the kit passes here. */
export async function permitSend(
  deps: LoginDeps,
  limited: AllowedCode | RefusedCode,
  asked: AskedCode,
): Promise<PermittedCode | RefusedSend> {
  const { decision } = limited;
  const candidate = "refusal" in limited ? limited.trusted : limited;
  const follow = (): PermittedCode | RefusedSend => {
    deps.publish(decision);
    return "refusal" in limited ? limited : { ...limited, isSuppressed: false };
  };
  // The app cannot pass a budget of the number.
  if (!candidate || !deps.callbacks.beforeSend) return follow();
  const refuse = (outcome: AppOutcome, refusal: unknown, kept: Kept): RefusedSend => {
    deps.publish(decisionOfApp(decision, outcome));
    return { refusal, undo: () => ("refusal" in limited ? limited.undo(kept) : limited.giveBack(kept)) };
  };
  let answer: AppAnswer;
  try {
    answer = await askBeforeSend(deps, asked.transaction, contextOf(limited, asked), asked.asker.readSignals);
  } catch (error) {
    return refuse("refused", error, "nothing");
  }
  // A client that asks without end closes its own address. The number and its block lose nothing by a stranger's starts.
  if (answer.action === "challenge") return refuse("challenged", new DoorcodeError("challenge_required"), "client");
  if (answer.action === "deny") return refuse("refused", new DoorcodeError("send_denied"), "client");
  if ("refusal" in limited && !answer.trusts) return follow();

  const reserved = await reserveNow(deps, candidate, asked);
  if ("refusal" in reserved) {
    deps.publish(reserved.decision);
    return reserved;
  }
  const isSuppressed = answer.action === "suppress" || asked.transaction.isSuppressed === true;
  const isTrusted = "refusal" in limited;
  if (isSuppressed) deps.publish(decisionOfApp(decision, "suppressed"));
  else deps.publish(isTrusted ? decisionOfApp(decision, "trusted") : decision);
  return { ...reserved, isSuppressed };
}

/** Reserves the number's budgets, which the limits have only looked at. */
async function reserveNow(
  { sendLimits }: LoginDeps,
  candidate: AllowedCode,
  { transaction: { phone } }: AskedCode,
): Promise<AllowedCode | RefusedCode> {
  const reserved = await sendLimits.reserveNumber(phone, candidate.counted).catch(async (error: unknown) => {
    await Promise.allSettled([candidate.giveBack()]);
    throw error;
  });
  const both = async (take: Promise<void>, kept?: Kept) => void (await Promise.all([take, candidate.giveBack(kept)]));
  if ("refusal" in reserved) return { ...reserved, undo: () => both(reserved.undo()) };
  const { cooldownSeconds } = reserved;
  return { ...candidate, cooldownSeconds, giveBack: (kept) => both(reserved.giveBack(), kept) };
}

type AppOutcome = "refused" | "challenged" | "suppressed" | "trusted";

/** Returns the decision of the app. It names the limit that would have refused, if the app has decided against it. */
function decisionOfApp(decision: SendDecision, outcome: AppOutcome): SendDecision {
  if (decision.outcome === "refused" && outcome !== "refused") return { ...decision, outcome };
  const { limit: _, count: __, threshold: ___, ...facts } = decision;
  return { ...facts, outcome, limit: "app" };
}

function contextOf(
  limited: AllowedCode | RefusedCode,
  { asker, transaction, number, channels, resend }: AskedCode,
): AskContext {
  const { loginId, purpose, phone, session } = transaction;
  const { country, knownNumber, knownDevice, onAlert, appOnAlert } = limited.decision;
  return {
    loginId,
    purpose,
    userId: session?.userId,
    phone,
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
    refusedBy: "refusal" in limited ? limited.refusedBy : undefined,
    challenge: asker.challenge,
  };
}
