import type { ErrorCode } from "./wire.ts";

/** The actions of a login that a page can ask for. */
export type LoginAction = "start" | "confirm" | "resend" | "cancel" | "logout" | "state" | "offer";

/**
 * The problems that only the client knows: the server could not be reached, what answered was no answer of the kit, or
 * the action was aborted, by its signal or by a newer one of its kind.
 */
export type ClientProblemCode = "network_failed" | "answer_unreadable" | "aborted";

/** The codes of problems that a page may see. Codes are stable: compare codes, never sentences. */
export type ProblemCode = ErrorCode | ClientProblemCode;

/** A refused or failed action. Times are Unix milliseconds on the browser's own clock, so that countdowns can be derived. */
export interface LoginProblem {
  readonly code: ProblemCode;
  readonly action: LoginAction;
  /** The HTTP status; left out if there was no answer. */
  readonly status?: number | undefined;
  /** The server's English sentence for end users. */
  readonly title?: string | undefined;
  /** The server's sentence for developers, if it says more than the title. */
  readonly detail?: string | undefined;
  /** The time from which the same request may succeed. */
  readonly retryAt?: number | undefined;
  /** The codes that may still be tried in this login. */
  readonly attemptsLeft?: number | undefined;
  /** The time from which another code may be tried. */
  readonly checkAt?: number | undefined;
}

/** Reads the problem document of a refusal; `answer_unreadable` for anything else, such as the page of a proxy. */
export function readProblem(action: LoginAction, status: number, body: unknown, now: number): LoginProblem {
  if (!isRecord(body) || typeof body.code !== "string") return { code: "answer_unreadable", action, status };
  const { code, title, detail, retryAfterSeconds, attemptsLeft, checkInSeconds } = body as Partial<ProblemDocument>;
  const after = (seconds: unknown) => (typeof seconds === "number" ? now + seconds * 1000 : undefined);
  const [retryAt, checkAt] = [after(retryAfterSeconds), after(checkInSeconds)];
  return { code: code as ProblemCode, action, status, title, detail, retryAt, attemptsLeft, checkAt };
}

/** The members of a refusal of the kit that a page may need. */
interface ProblemDocument {
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly retryAfterSeconds: number;
  readonly attemptsLeft: number;
  readonly checkInSeconds: number;
}

/** Tells whether a parsed JSON value is an object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
