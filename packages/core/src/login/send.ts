import type { AcceptedCode } from "../codes/code-strategy.ts";
import { giveBackCode } from "../limits/send-limits.ts";
import { secondsSince } from "../util/clock.ts";
import { DoorcodeError, isDoorcodeError } from "../util/errors.ts";
import type { LoginDeps } from "./login-deps.ts";
import type { PermittedCode } from "./permit-send.ts";
import { loginCodeOf, type OpenTransaction } from "./transaction-store.ts";

/**
 * Sends a code that the limits and the app allow, or waits as long for one that is suppressed. Every code of the kit is
 * sent here.
 *
 * A send that surely failed gives back what was reserved for it. A send with an unknown outcome does not, because the
 * code may be on its way; `outcome` of the thrown error tells which it was.
 *
 * @returns the id under which its delivery is reported, if there is one.
 * @throws {@link DoorcodeError} `send_failed` when the service refused; `service_unavailable` or
 * `service_rate_limited` when it may work later
 */
export async function sendCode(
  deps: LoginDeps,
  open: OpenTransaction,
  channels: readonly string[],
  permitted: PermittedCode,
): Promise<AcceptedCode> {
  const { transaction } = open;
  const code = loginCodeOf(open);
  const startedAt = deps.clock.now();
  const describe = () => ({ channel: channels[0] ?? "", durationSeconds: secondsSince(deps.clock, startedAt) });
  try {
    const accepted = await deps.codes.send(code, channels);
    if (!code.isSuppressed) deps.publishLogin(transaction, { type: "login.code_sent", ...describe() });
    return accepted;
  } catch (error) {
    deps.publishLogin(transaction, { type: "login.send_failed", ...describe(), error });
    // A number that the service refuses keeps counting for its client, who could ask for it without end.
    if (surelyFailed(error)) await giveBackCode(deps, permitted, isTemporary(error) ? "nothing" : "client");
    throw toBrowserError(error);
  }
}

/** Returns true when the code of a failed send was surely not sent. */
export function surelyFailed(error: unknown): boolean {
  return isDoorcodeError(error) && error.outcome === "refused";
}

/** Hides the service's words from the browser, which only needs to know whether to try again. `onEvent` has them. */
function toBrowserError(error: unknown): unknown {
  if (!isDoorcodeError(error)) return error;
  const outcome = error.outcome ?? "unknown";
  if (!isTemporary(error)) return new DoorcodeError("send_failed", { outcome, cause: error });
  return new DoorcodeError(error.code, { outcome, retryAfterSeconds: error.retryAfterSeconds ?? 5, cause: error });
}

/** Tells whether the service may take the same code later. */
function isTemporary(error: unknown): boolean {
  return isDoorcodeError(error) && (error.code === "service_unavailable" || error.code === "service_rate_limited");
}
