import { type CodeSentState, readUnderWay } from "../login/code-sent-state.ts";
import type { LoginDeps } from "../login/login-deps.ts";
import type { AppSession } from "../login/request-sessions.ts";
import { belongsTo } from "../login/transaction.ts";
import type { NamedTransaction } from "../login/transaction-store.ts";

/** The state of a browser that is not logged in and has no code on its way. */
export interface NoLoginState {
  readonly status: "none";
}

/** The state of a browser that is logged in. */
export interface LoggedInState {
  readonly status: "logged_in";
  readonly userId: string;
  /** The part of the user that `session.publicUser` shows. */
  readonly user?: unknown;
  /** The value that the app's own `session.start` returned. */
  readonly result?: unknown;
}

/** The state of a browser's login: the body of every endpoint's answer. */
export type LoginState =
  | NoLoginState
  | (CodeSentState & { readonly userId?: string; readonly user?: unknown })
  | LoggedInState;

/** Reads the state of a browser's login. A code on its way comes before a session that exists already. */
export async function readLoginState(
  deps: LoginDeps,
  named: NamedTransaction,
  readSession: () => Promise<AppSession | undefined>,
): Promise<LoginState> {
  const [underWay, session] = await Promise.all([readUnderWay(deps, named), readSession()]);
  if (underWay && belongsTo(underWay.transaction, session)) {
    return { ...underWay.state, ...(session && publicAccount(session)) };
  }
  return session ? { status: "logged_in", ...publicAccount(session) } : { status: "none" };
}

/** Returns the part of an account that a browser sees. */
export function publicAccount({ userId, user }: Pick<AppSession, "userId" | "user">): {
  userId: string;
  user?: unknown;
} {
  return { userId, user };
}
