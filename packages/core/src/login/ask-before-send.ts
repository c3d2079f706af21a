import { z } from "zod";
import type { Awaitable } from "../util/awaitable.ts";
import { CallbackMistake, callApp } from "../util/call-app.ts";
import { secondsSince } from "../util/clock.ts";
import { createDeadline } from "../util/deadline.ts";
import { DoorcodeError } from "../util/errors.ts";
import type { BeforeSendContext } from "./before-send.ts";
import type { LoginDeps } from "./login-deps.ts";
import type { LoginTransaction } from "./transaction.ts";

/** The context without what is read only for the call. */
export type AskContext = Omit<BeforeSendContext, "signals" | "signal">;

/** The app's answer, in one form. */
export interface AppAnswer {
  readonly action: "allow" | "challenge" | "suppress" | "deny";
  /** True for an answer that also holds against a limit. */
  readonly trusts: boolean;
}

const answerShape = z.union([
  z.enum(["allow", "challenge", "suppress", "deny"]),
  z.strictObject({ trust: z.enum(["allow", "suppress"]) }),
]);

const maxSeconds = 3;
const retryAfterSeconds = 5;

/**
 * Asks the app about a code. If it fails or takes too long, the code is refused, or allowed with `beforeSendFails: "open"`.
 *
 * @throws {@link DoorcodeError} `send_undecided`
 * @throws CallbackMistake for any other answer
 */
export async function askBeforeSend(
  { clock, callbacks, beforeSendFails, suppresses, publishLogin }: LoginDeps,
  transaction: LoginTransaction,
  context: AskContext,
  readSignals: () => Awaitable<unknown>,
): Promise<AppAnswer> {
  const { signal, abort } = createAbort();
  const deadline = createDeadline(clock, maxSeconds, () =>
    abort(new Error(`login.beforeSend took longer than ${maxSeconds} seconds.`)),
  );
  const ask = async () => {
    const signals = await callApp("phoneLogin.signals", readSignals);
    return callApp("login.beforeSend", () => callbacks.beforeSend?.({ ...context, signals, signal }));
  };
  const startedAt = clock.now();
  const publishEnd = (outcome: "accepted" | "refused" | "failed") => {
    const durationSeconds = secondsSince(clock, startedAt);
    publishLogin(transaction, { type: "login.callback_ended", callback: "beforeSend", outcome, durationSeconds });
  };
  try {
    const answer = parseAnswer(await deadline.race(ask()), suppresses);
    publishEnd(answer.action === "allow" ? "accepted" : "refused");
    return answer;
  } catch (error) {
    publishEnd("failed");
    publishLogin(transaction, { type: "login.before_send_failed", error });
    // A wrong answer is a mistake in the code of the app, and was perhaps meant to refuse.
    if (error instanceof CallbackMistake) throw error;
    if (beforeSendFails === "open") return { action: "allow", trusts: false };
    throw new DoorcodeError("send_undecided", { retryAfterSeconds, cause: error });
  } finally {
    deadline.clear();
  }
}

function parseAnswer(answer: unknown, suppresses: boolean): AppAnswer {
  const { data } = answerShape.safeParse(answer ?? "allow");
  if (data === undefined) {
    throw new CallbackMistake(
      'login.beforeSend must return "allow", "challenge", "suppress", "deny", { trust: "allow" } or { trust: "suppress" }.',
    );
  }
  const parsed = typeof data === "string" ? { action: data, trusts: false } : { action: data.trust, trusts: true };
  if (parsed.action === "suppress" && !suppresses) {
    throw new CallbackMistake(
      "login.beforeSend must not suppress a code with login.suppresses: false, which shows the delivery of codes: leave " +
        'the option out, or return "deny".',
    );
  }
  return parsed;
}

function createAbort(): { readonly signal: AbortSignal; abort(error: Error): Error } {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    abort(error) {
      controller.abort(error);
      return error;
    },
  };
}
