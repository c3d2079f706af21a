import type { LoginOffer, LoginState } from "../client/wire.ts";
import type { StringsOverride } from "../strings/strings.ts";
import type { ConsentLine, ShownProblem } from "./view.ts";

/** A problem that came in the query of a page. */
export interface QueryProblem {
  readonly code: ShownProblem["code"];
  readonly retryAfterSeconds?: number;
  readonly attemptsLeft?: number;
}

/** What the server has rendered, for the element that takes it over. It holds nothing that the page does not show. */
export interface Initial {
  readonly state: LoginState;
  readonly offer: LoginOffer;
  readonly strings?: StringsOverride | undefined;
  readonly consent?: ConsentLine | undefined;
  readonly problem?: QueryProblem | undefined;
}

/** Writes what the server has rendered as the text of an attribute. */
export function writeInitial({ state, ...rest }: Initial): string {
  // The user is the app's matter, and no part of this page. An empty id says that there is one, and not who.
  const { user, userId, result, typed, ...shown } = state as LoginState & Readonly<Record<string, unknown>>;
  return JSON.stringify({ state: { ...shown, ...(userId !== undefined && { userId: "" }) }, ...rest });
}

/** Reads what the server has rendered; nothing of an element that it has not. */
export function readInitial(text: string | null): Partial<Initial> {
  return JSON.parse(text ?? "{}") as Partial<Initial>;
}

/** Returns a problem with the time of the next try. */
export function shownProblem({ retryAfterSeconds, ...problem }: QueryProblem, now: number): ShownProblem {
  return { ...problem, retryAt: retryAfterSeconds && now + retryAfterSeconds * 1000 };
}
