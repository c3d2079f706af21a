import type { CurrentSession, LoginParts } from "../login/login.ts";
import { type CodeSentState, readCodeSent } from "../login/state.ts";
import type { Purpose } from "../login/transaction.ts";

/** Nobody is logged in and no code is on its way. */
export interface NoLoginState {
  readonly status: "none";
}

/** Somebody is logged in. */
export interface LoggedInState {
  readonly status: "logged_in";
  readonly userId: string;
  /** What `session.publicUser` lets a browser see. */
  readonly user?: unknown;
  /** What the app's own `session.start` returned. */
  readonly result?: unknown;
}

/** Where a browser's login stands: the body of every endpoint's answer. */
export type LoginState =
  | NoLoginState
  | (CodeSentState & { readonly userId?: string; readonly user?: unknown })
  | LoggedInState;

/** Reads where the login of a browser stands. A code on its way comes before a session that is there already. */
export async function readLoginState(
  login: LoginParts,
  purpose: Purpose,
  transactionId: string | undefined,
  readSession: () => Promise<CurrentSession | undefined>,
): Promise<LoginState> {
  const [codeSent, session] = await Promise.all([readCodeSent(login, purpose, transactionId), readSession()]);
  if (codeSent) return { ...codeSent, ...(session && whoIs(session)) };
  return session ? { status: "logged_in", ...whoIs(session) } : { status: "none" };
}

/** What a browser sees of an account. */
export function whoIs({ userId, user }: Pick<CurrentSession, "userId" | "user">): { userId: string; user?: unknown } {
  return { userId, ...(user !== undefined && { user }) };
}
