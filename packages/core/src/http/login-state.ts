import type { AppSession } from "../login/account.ts";
import type { LoginDeps } from "../login/login-deps.ts";
import { type CodeSentState, readOpenLogin, versionOf } from "../login/state.ts";
import type { NamedTransaction } from "../login/transaction.ts";
import { belongsTo } from "../login/transaction.ts";
import type { VerifiedState } from "./proofs.ts";

/** The state of a browser that is not logged in and has no code on its way. */
export interface NoLoginState {
  readonly status: "none";
  /** Changes when anything else here changes. */
  readonly version: string;
}

/** The state of a browser that is logged in. */
export interface LoggedInState {
  readonly status: "logged_in";
  /** Changes with the user. */
  readonly version: string;
  readonly userId: string;
  /** The part of the user that `session.publicUser` shows. */
  readonly user?: unknown;
  /** The value that the app's own `session.start` returned. */
  readonly result?: unknown;
}

/** The state of a browser's login: the body of every endpoint's answer. */
export type LoginState =
  | NoLoginState
  | (CodeSentState & {
      readonly userId?: string;
      readonly user?: unknown;
      /**
       * The whole number as it was understood, such as `+49 1512 3456789`. Only in the answer to a start with a number: its
       * page has just typed it.
       */
      readonly number?: string;
    })
  | LoggedInState
  | VerifiedState;

/** The state of a browser's login, and how its changes are noticed. */
export interface ReadLogin {
  readonly state: LoginState;
  /** The keys in the store under which its changes are announced; none if no code is on its way. */
  readonly topics: readonly string[];
  /** The time after which it changes by itself. */
  readonly endsInSeconds: number;
}

/** Reads the state of a browser's login. A code on its way comes before a session that exists already. */
export async function readLogin(
  deps: LoginDeps,
  named: NamedTransaction,
  readSession: () => Promise<AppSession | undefined>,
  readProof: () => Promise<VerifiedState | undefined> = async () => undefined,
): Promise<ReadLogin> {
  const [open, session] = await Promise.all([readOpenLogin(deps, named), readSession()]);
  if (open && belongsTo(open.transaction, session)) {
    const { topics, state } = open;
    return { state: codeSentState(state, session), topics, endsInSeconds: state.expiresInSeconds };
  }
  const state = session ? loggedInState(session) : ((await readProof()) ?? noLoginState);
  return { state, topics: [], endsInSeconds: Number.POSITIVE_INFINITY };
}

/** The state of a browser without a login. */
export const noLoginState: NoLoginState = { status: "none", version: versionOf("none") };

/** Returns the state of a code on its way, in a browser that may be logged in already. */
export function codeSentState(state: CodeSentState, session: AppSession | undefined): LoginState {
  if (!session) return state;
  const account = publicAccount(session);
  return { ...state, ...account, version: versionOf(state.version, account) };
}

/** Returns the state of a browser that is logged in. */
export function loggedInState(session: Pick<AppSession, "userId" | "user">): LoggedInState {
  const account = publicAccount(session);
  return { status: "logged_in", version: versionOf("logged in", account), ...account };
}

/** Returns the part of an account that a browser sees. */
function publicAccount({ userId, user }: Pick<AppSession, "userId" | "user">): { userId: string; user?: unknown } {
  return { userId, user };
}
