import type { LoginAction, LoginProblem, ProblemCode } from "../client/problem.ts";
import type { TimedLoginState } from "../client/timed-state.ts";
import type { LoginOffer, Purpose, TypedNumber } from "../client/wire.ts";
import type { OwnProblemCode, Strings } from "../strings/strings.ts";
import type { ViewElement } from "./node.ts";

/** A problem as a page shows it: one of the client, or one that came in the query of a redirect. */
export type ShownProblem = { readonly code: ProblemCode | OwnProblemCode } & Partial<
  Pick<LoginProblem, "action" | "retryAt" | "attemptsLeft">
>;

/** The line of consent below the number. */
export interface ConsentLine {
  /** The version of the wording, which a start sends. */
  readonly version: string;
  /** The ISO 3166 codes of the countries whose people see the line. */
  readonly countries: readonly string[];
  /** The address of your terms. */
  readonly terms?: string | undefined;
  /** The address of your privacy policy. */
  readonly privacy?: string | undefined;
}

/** All that decides how the page looks. */
export interface View {
  /** `undefined` until it is known. */
  readonly state: TimedLoginState | undefined;
  readonly offer: LoginOffer;
  readonly purpose: Purpose;
  readonly basePath: string;
  /** The BCP 47 tag of the page's language. */
  readonly language: string;
  readonly strings: Strings;
  /** The path of this site to go to after the login. */
  readonly next: string | undefined;
  /** The id of the app's form that gets the proof of a `verify`. */
  readonly form: string | undefined;
  readonly problem: ShownProblem | undefined;
  /** The line of consent below the number; `undefined` for none. */
  readonly consent: ConsentLine | undefined;
  /** The number of a refused form, which a page that the server renders shows again. */
  readonly typed?: TypedNumber | undefined;
  /** The link that asks for the delivery, in a page that the server renders. */
  readonly checkLink?: ViewElement | undefined;
  /** The app's HTML of a challenge. */
  readonly challenge: string;
  /** The instant to which times are compared. */
  readonly now: number;
  /** What only a running script knows; `undefined` for plain forms. */
  readonly live: LiveView | undefined;
}

/** What only a running script knows. */
export interface LiveView {
  /** The number of the problem, so that the same one is announced again. */
  readonly problemNumber: number;
  /** An id that no browser has seen, so that it offers no old codes. */
  readonly codeId: string;
  readonly pending: LoginAction | undefined;
  /** The form that was submitted last: its action, and the channel of a resend. */
  readonly submitted: string;
  /** True while an action takes longer than a moment. */
  readonly isSlow: boolean;
  /** True while the person changes the number of an open login. */
  readonly isChanging: boolean;
  /** True when this page has completed the login. */
  readonly isDone: boolean;
  /** The number for the field, when it is shown again. */
  readonly phone: string;
  /** The country that is chosen. */
  readonly country?: string | undefined;
  /** What has happened, in sight. */
  readonly notice: string;
  /** What is only announced. */
  readonly announcement: string;
}

/** The steps of the page. */
export type Step = "loading" | "phone" | "code" | "done";

/** Returns the step that a view shows. */
export function stepOf({ state, purpose, live }: Pick<View, "state" | "purpose" | "live">): Step {
  if (!state) return "loading";
  const isVerified = state.status === "verified";
  if (isVerified || state.status === "code_sent") return live?.isChanging ? "phone" : isVerified ? "done" : "code";
  // A link and a step-up begin with a session.
  return state.status === "logged_in" && (live?.isDone || purpose === "login") ? "done" : "phone";
}

const ofPhone = /^(phone|country|number|login_refused)/;
const ofCode = /^(newer_)?code_/;

/** Returns the field that a problem is about. */
export function fieldOf({ code }: Pick<ShownProblem, "code">): "phone" | "code" | undefined {
  if (ofPhone.test(code)) return "phone";
  return ofCode.test(code) ? "code" : undefined;
}

/** The problems that leave a code as it is: it can be entered again. */
const ofOpenCode = /^(newer_)?code_|failed|unreadable|slow|cooldown|unavailable|busy/;

/** Tells whether a problem promises that the code can still be entered, so that it is wrong once the login has ended. */
export function needsOpenCode(problem: Pick<ShownProblem, "code"> | undefined): boolean {
  return problem !== undefined && ofOpenCode.test(problem.code);
}

/** A longer pause is told by the clock. */
export const countedMilliseconds = 90_000;

/** Returns the instant until which a page counts down: to the next code that may be sent, or to the next that may be tried. */
export function pauseOf(
  next: "send" | "check",
  { state, problem, now }: Pick<View, "state" | "problem" | "now">,
): number {
  const { action, retryAt = 0 } = problem ?? {};
  const isCheck = next === "check";
  const isCounted = isCheck === (action === "confirm") && retryAt - now <= countedMilliseconds;
  const known = state?.status === "code_sent" ? state[isCheck ? "checkAt" : "resendAt"] : 0;
  return Math.max(known, isCounted ? retryAt : 0);
}

/** Returns the id of a part of the page, different for each mount. */
export function idOf({ basePath }: Pick<View, "basePath">, name: string): string {
  return `phone${basePath.replace(/\W+/g, "-")}-${name}`;
}
