import type { LoginAction, LoginProblem } from "./problem.ts";
import type { TimedLoginState } from "./timed-state.ts";
import type { LoginOffer, LoginState } from "./wire.ts";

/** Options of `createPhoneLogin`. */
export interface PhoneLoginOptions {
  /** The path of the mount. Default: `/login`. */
  readonly basePath?: string;
  /** The function that sends requests. Default: the page's `fetch`. */
  readonly fetch?: typeof fetch;
  /** The state that the server has rendered, so that it need not be asked for. */
  readonly state?: LoginState | undefined;
}

/** The result of an act: the state, or the problem that refused it. Nothing is thrown. */
export type StateResult = { readonly state: TimedLoginState } | { readonly problem: LoginProblem };

/** The result of asking for the offer. */
export type OfferResult = { readonly offer: LoginOffer } | { readonly problem: LoginProblem };

/** All that a page shows. A new object whenever something has changed, and else the same one. */
export interface LoginSnapshot {
  /** The state; `undefined` until it is known. */
  readonly state: TimedLoginState | undefined;
  /** The problem of the last act; `undefined` once another one has begun. */
  readonly problem: LoginProblem | undefined;
  /** The act that is under way. */
  readonly pending: LoginAction | undefined;
}

/** A request for a code. A step-up needs no `phone`: it takes the number of the account. */
export interface StartInput {
  /** The number as the person typed it. */
  readonly phone?: string | undefined;
  /** The ISO 3166 code of the country that the person chose, for a number without its country code. */
  readonly country?: string | undefined;
  /** The channel to try first. */
  readonly channel?: string | undefined;
  /** The token of a challenge that the person has solved. */
  readonly challenge?: string | undefined;
  /** The BCP 47 tag of the page's language. */
  readonly language?: string | undefined;
}

/** A request for another code. */
export interface ResendInput {
  /** The channel for this code. */
  readonly channel?: string | undefined;
  /** The token of a challenge that the person has solved. */
  readonly challenge?: string | undefined;
}

/** Options of an act. */
export interface ActOptions {
  /** Aborts the act. Its result is then the problem `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

/** The client of one mount, with its state kept up to date while somebody is subscribed. */
export interface PhoneLoginClient {
  /** Sends a code. */
  start(input: StartInput, options?: ActOptions): Promise<StateResult>;
  /** Confirms a code. The same code while it is being confirmed is sent once. */
  confirm(code: string, options?: ActOptions): Promise<StateResult>;
  /** Sends a code again, over `channel` if it is named. */
  resend(input?: ResendInput, options?: ActOptions): Promise<StateResult>;
  /** Ends the login under way. */
  cancel(options?: ActOptions): Promise<StateResult>;
  /** Ends the session, and what is under way. */
  logout(options?: ActOptions): Promise<StateResult>;
  /** Asks for the state. */
  state(options?: ActOptions): Promise<StateResult>;
  /** Asks for what the login offers: countries, channels, the length of codes. The answer is kept. */
  offer(options?: ActOptions): Promise<OfferResult>;
  /**
   * Calls a function after each change, until the returned function is called. While somebody is subscribed, the page is
   * visible and a code is on its way, the state follows what the server learns.
   */
  subscribe(onChange: () => void): () => void;
  /** Returns what the page shows. The same object until something changes. */
  getSnapshot(): LoginSnapshot;
  /** Aborts everything, for good. */
  close(): void;
}
