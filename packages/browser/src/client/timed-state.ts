import type { LoginProblem } from "./problem.ts";
import type { CodeSentState, LoginState } from "./wire.ts";

/**
 * The state of a login whose code was sent, with its times as Unix milliseconds on the browser's own clock: a countdown
 * shows `resendAt - Date.now()`.
 */
export interface TimedCodeSentState extends CodeSentState {
  /** The time until which the code can be entered. */
  readonly expiresAt: number;
  /** The time from which another code may be requested. */
  readonly resendAt: number;
  /** The time from which another code may be tried. */
  readonly checkAt: number;
}

/** The state of a browser's login, with absolute times. */
export type TimedLoginState = TimedCodeSentState | Exclude<LoginState, CodeSentState>;

/** The server counts whole seconds: two answers about the same instant differ by one. */
const toleranceMilliseconds = 1500;

/**
 * Adds absolute times to a state. What an earlier state of the same login knew better stays: the number in full, which only
 * the answer to the start has, and a time that has not changed.
 */
export function timed(state: LoginState, earlier: TimedLoginState | undefined, now: number): TimedLoginState {
  if (state.status !== "code_sent") return state;
  const isSame = earlier?.status === "code_sent" && earlier.transaction === state.transaction;
  const before = isSame ? earlier : undefined;
  const number = state.number ?? before?.number;
  const instant = (seconds: number, known = 0) => {
    const at = now + seconds * 1000;
    // A time that is over stays so.
    const isOver = !seconds && known <= now;
    return before && (isOver || Math.abs(at - known) < toleranceMilliseconds) ? known : at;
  };
  return {
    ...state,
    ...(number !== undefined && { number }),
    expiresAt: instant(state.expiresInSeconds, before?.expiresAt),
    resendAt: instant(state.resendInSeconds, before?.resendAt),
    checkAt: instant(state.checkInSeconds, before?.checkAt),
  };
}

/** Returns the state after a refusal that tells of the open login: the attempts left, the pause before the next. */
export function afterRefusal(
  state: TimedLoginState,
  { attemptsLeft, checkAt }: Pick<LoginProblem, "attemptsLeft" | "checkAt">,
): TimedLoginState {
  if (state.status !== "code_sent" || !attemptsLeft) return state;
  return { ...state, attemptsLeft, checkAt: checkAt ?? state.checkAt };
}
