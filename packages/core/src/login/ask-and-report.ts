import { secondsSince } from "../util/clock.ts";
import { askApp } from "./callbacks.ts";
import type { LoginDeps } from "./login-deps.ts";
import type { LoginTransaction } from "./transaction.ts";

/**
 * Asks the app for the user of a login whose code was right, and publishes how long the app took. Returns `undefined` when the
 * app refuses. A step-up asks nothing: its user is known.
 *
 * @throws CallbackMistake for anything that is no user id, or another user's id in `onLink`
 */
export async function askAndReport(
  deps: LoginDeps,
  transaction: LoginTransaction,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { clock, publishLogin } = deps;
  if (transaction.purpose === "step_up") return askApp(deps, transaction, signal);
  const callback = transaction.purpose === "link" ? "onLink" : "onLogin";
  const startedAt = clock.now();
  const [asked] = await Promise.allSettled([askApp(deps, transaction, signal)]);
  const answer = asked.status === "fulfilled" && asked.value === undefined ? "refused" : "accepted";
  publishLogin(transaction, {
    type: "login.callback_ended",
    callback,
    outcome: asked.status === "rejected" ? "failed" : answer,
    durationSeconds: secondsSince(clock, startedAt),
  });
  if (asked.status === "rejected") throw asked.reason;
  return asked.value;
}
