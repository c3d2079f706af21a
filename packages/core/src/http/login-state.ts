import type { AppSession } from "../login/account.ts";
import type { ProvenPhone } from "../login/callbacks.ts";
import type { LoginDeps } from "../login/login-deps.ts";
import { type CodeSentState, readOpenLogin, versionOf } from "../login/state.ts";
import { belongsTo, type NamedTransaction } from "../login/transaction.ts";
import type { TypedNumber } from "../login/typed-number.ts";
import { maskPhone } from "../phone/phone-number.ts";
import type { ClientCredential, RequestTransport } from "../sessions/transport.ts";
import { type Awaitable, CallbackMistake, callAppInTime } from "../util/call-app.ts";
import { isDoorcodeError } from "../util/errors.ts";
import type { KitCookie, WithHeaders } from "../util/headers.ts";
import type { ProofBinding, VerifiedNumber } from "../verify/number-proof.ts";

/** The part of a state that only a page gets which the server is rendering. */
interface RenderedState {
  /** The number of a form that was refused a moment ago, for its field. */
  readonly typed?: TypedNumber | undefined;
}

/** The state of a browser that is not logged in and has no code on its way. */
export interface NoLoginState extends RenderedState {
  readonly status: "none";
  /** Changes when anything else here changes. */
  readonly version: string;
}

/** The state of a browser that is logged in. */
export interface LoggedInState extends RenderedState {
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

function publicAccount({ userId, user }: Pick<AppSession, "userId" | "user">): { userId: string; user?: unknown } {
  return { userId, user };
}

/** The state of a browser whose number was proven without an account. */
export interface VerifiedState extends RenderedState {
  readonly status: "verified";
  /** Changes with the proof. */
  readonly version: string;
  /** The number, masked. The app's server reads the whole one from the proof. */
  readonly phone: string;
  /** The whole number, such as `+49 1512 3456789`. Only in the answer to a confirmation: its page has typed it. */
  readonly number?: string;
  /** The proof, for the app's server: `createProofVerifier` reads it. */
  readonly proof: string;
  readonly expiresInSeconds: number;
}

/** Options of the proofs of a mount with the purpose `verify`. */
export interface ProofOptions<ReadContext> {
  /**
   * The part of the app that accepts the proofs, such as `checkout`: `createProofVerifier` gets the same one, and refuses the proofs of every
   * other. Up to 32 small letters, digits and `_`. Two mounts with one audience accept each other's proofs.
   */
  readonly audience: string;
  /** The lifetime of a proof, from 60 to 3,600. Default: 600. */
  readonly lifetimeSeconds?: number;
  /**
   * Returns what a proof is bound to, such as the id of the visitor's cart: the proof is refused elsewhere. Take it from the request's
   * cookie or session, as where you read the proof. `undefined` binds it to nothing. It has ten seconds. Default: nothing.
   */
  readonly boundTo?: (context: ReadContext) => Awaitable<string | undefined>;
}

/** The proofs of one request. */
export interface RequestProofs {
  /** Returns the state of the proof in the browser's cookie; `undefined` without one that is valid here. */
  current(): Promise<VerifiedState | undefined>;
  /** Reads what a proof is bound to, before the code is used, and returns the function that makes the proof. */
  prepare(): Promise<
    (number: ProvenPhone) => Promise<{ readonly state: VerifiedState; readonly credential: ClientCredential }>
  >;
  /** Takes the proof away from a browser that has one. */
  drop(): ClientCredential;
}

/** The dependencies of proofs. */
export interface ProofDeps<ReadContext> {
  readonly login: Pick<LoginDeps, "proofs" | "clock">;
  readonly proofCookie: KitCookie;
  readonly proof: ProofOptions<ReadContext> & { readonly lifetimeSeconds: number };
}

const boundToOption = "phoneLogin.proof.boundTo";

/** Opens the proofs of one request. */
export function openProofs<ReadContext>(
  { login: { proofs, clock }, proofCookie, proof: { lifetimeSeconds, audience, boundTo } }: ProofDeps<ReadContext>,
  { headers }: WithHeaders,
  context: ReadContext,
  transport: RequestTransport,
): RequestProofs {
  // A client without cookies keeps the proof by itself.
  const kept = transport === "cookie" ? proofCookie.read(headers) : undefined;

  async function readBinding(): Promise<ProofBinding> {
    const text: unknown = boundTo && (await callAppInTime(boundToOption, clock, () => boundTo(context)));
    if (text === undefined || typeof text === "string") return { audience, boundTo: text };
    throw new CallbackMistake(`${boundToOption} must return a string, or undefined to bind the proof to nothing.`);
  }

  const stateOf = (proof: string, { phone, expiresAt }: VerifiedNumber): VerifiedState => ({
    status: "verified",
    version: versionOf("verified", proof),
    phone: maskPhone(phone),
    proof,
    expiresInSeconds: Math.ceil((expiresAt - clock.now()) / 1000),
  });

  return {
    async current() {
      if (kept === undefined) return undefined;
      const binding = await readBinding();
      try {
        return stateOf(kept, await proofs.open(kept, binding));
      } catch (error) {
        if (isDoorcodeError(error)) return undefined;
        throw error;
      }
    },
    async prepare() {
      const binding = await readBinding();
      return async ({ phone, loginId }) => {
        const verifiedAt = clock.now();
        const number = { phone, loginId, verifiedAt, expiresAt: verifiedAt + lifetimeSeconds * 1000 };
        const proof = await proofs.seal(number, binding);
        const cookies = transport === "cookie" ? [proofCookie.write(proof, lifetimeSeconds)] : [];
        return { state: stateOf(proof, number), credential: { cookies } };
      };
    },
    drop: () => (kept === undefined ? {} : { cookies: [proofCookie.drop()] }),
  };
}
