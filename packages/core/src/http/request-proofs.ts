import type { ProvenPhone } from "../login/callbacks.ts";
import type { LoginDeps } from "../login/login-deps.ts";
import { type VerifiedState, versionOf } from "../login/state.ts";
import { maskPhone } from "../phone/phone-number.ts";
import type { ClientCredential, KitCookie, RequestTransport } from "../sessions/transport.ts";
import { type Awaitable, CallbackMistake, callAppInTime } from "../util/call-app.ts";
import { isDoorcodeError } from "../util/errors.ts";
import type { WithHeaders } from "../util/headers.ts";
import type { ProofBinding, VerifiedNumber } from "../verify/number-proof.ts";

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
