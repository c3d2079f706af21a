import { type ActionOptions, createActionOrder } from "./action-order.ts";
import { call } from "./call.ts";
import { createLoginActions, type Request } from "./login-actions.ts";
import { watchPage } from "./page-life.ts";
import type { LoginProblem } from "./problem.ts";
import { createSnapshots, type LoginSnapshot, type StateResult } from "./snapshots.ts";
import type { LoginOffer, LoginState } from "./wire.ts";

/** Options of {@link createPhoneLogin}. */
export interface PhoneLoginOptions {
  /** The path of the mount. Default: `/login`. */
  readonly basePath?: string;
  /** The function that sends requests. Default: the page's `fetch`. */
  readonly fetch?: typeof fetch;
  /** The state that the server has rendered, so that it need not be asked for. */
  readonly state?: LoginState | undefined;
}

/** The result of asking for the offer. */
export type OfferResult = { readonly offer: LoginOffer } | { readonly problem: LoginProblem };

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
  /** The version of the line of consent that the page shows: letters, digits, `.`, `_` and `-`, at most 64. */
  readonly consent?: string | undefined;
}

/** A request for another code. */
export interface ResendInput {
  /** The channel for this code. */
  readonly channel?: string | undefined;
  /** The token of a challenge that the person has solved. */
  readonly challenge?: string | undefined;
}

/** Options of {@link PhoneLoginClient.confirm}. */
export interface ConfirmOptions extends ActionOptions {
  /** Whether this browser asks for no further step-up for a time, where the offer has `remembers`. Default: false. */
  readonly remember?: boolean | undefined;
}

/** The client of one mount, with its state kept up to date while it has a subscriber. */
export interface PhoneLoginClient {
  /** Sends a code. */
  start(input: StartInput, options?: ActionOptions): Promise<StateResult>;
  /** Confirms a code. The same code while it is being confirmed is sent once. */
  confirm(code: string, options?: ConfirmOptions): Promise<StateResult>;
  /** Sends a code again, over `channel` if it is named. */
  resend(input?: ResendInput, options?: ActionOptions): Promise<StateResult>;
  /** Ends the open login. */
  cancel(options?: ActionOptions): Promise<StateResult>;
  /** Ends the session and the open login. */
  logout(options?: ActionOptions): Promise<StateResult>;
  /** Asks for the state. */
  state(options?: ActionOptions): Promise<StateResult>;
  /** Asks for what the login offers: countries, the length of codes. The answer is kept. */
  offer(options?: ActionOptions): Promise<OfferResult>;
  /**
   * Calls a function after each change, until the returned function is called. While there is a subscriber, the page is
   * visible and a code is on its way, the state follows what the server learns.
   */
  subscribe(onChange: () => void): () => void;
  /** Returns what the page shows. The same object until something changes. */
  getSnapshot(): LoginSnapshot;
  /** Aborts everything, for good. */
  close(): void;
}

/**
 * Creates the client of a login.
 *
 * An action that is refused resolves to a problem and never throws. A newer action makes the answer of an older one of the
 * same kind irrelevant; only a login that it has completed counts.
 *
 * @example
 * import { createPhoneLogin } from "@doorcode/browser";
 * const login = createPhoneLogin({ basePath: "/login" });
 * const result = await login.start({ phone: "+49 1512 3456789" });
 * if ("problem" in result) console.log(result.problem.code);
 */
export function createPhoneLogin(options: PhoneLoginOptions = {}): PhoneLoginClient {
  const basePath = (options.basePath ?? "/login").replace(/\/+$/, "");
  const send: typeof fetch = (input, init) => (options.fetch ?? fetch)(input, init);
  const request: Request = (action, path, more) => call(send, { action, url: `${basePath}${path}`, ...more });
  const closing = new AbortController();
  const order = createActionOrder(closing.signal);
  const snapshots = createSnapshots(options.state);
  const { perform, follow, stop } = createLoginActions({ snapshots, request, order, closing: closing.signal });
  const transaction = () => transactionOf(snapshots.get());
  let confirming: { readonly code: string; readonly result: Promise<StateResult> } | undefined;
  let keptOffer: LoginOffer | undefined;
  let unwatch = () => {};

  return {
    start: (input, options) => perform("start", input, options),
    confirm(code, options) {
      if (confirming?.code === code) return confirming.result;
      const remember = options?.remember || undefined;
      const result = perform("confirm", { code, remember, transaction: transaction() }, options).finally(() => {
        if (confirming?.result === result) confirming = undefined;
      });
      confirming = { code, result };
      return result;
    },
    resend: (input, options) => perform("resend", { ...input, transaction: transaction() }, options),
    cancel: (options) => perform("cancel", { transaction: transaction() }, options),
    logout: (options) => perform("logout", {}, options),
    state: (options) => perform("state", undefined, options),
    async offer(options) {
      if (keptOffer) return { offer: keptOffer };
      const controller = order.begin("offer", options?.signal);
      const reply = await request("offer", "/offer", { signal: controller.signal });
      controller.abort();
      if ("problem" in reply) return reply;
      keptOffer = reply.body as unknown as LoginOffer;
      return { offer: keptOffer };
    },
    subscribe(onChange) {
      const isFirst = !snapshots.hasListeners();
      const end = snapshots.listen(onChange);
      if (isFirst) {
        unwatch = watchPage({ onReturn: () => follow(true), onLeave: stop });
        follow(false);
      }
      return () => {
        if (!end() || snapshots.hasListeners()) return;
        unwatch();
        stop();
      };
    },
    getSnapshot: snapshots.get,
    close() {
      closing.abort();
      unwatch();
      stop();
    },
  };
}

function transactionOf({ state }: LoginSnapshot): string | undefined {
  return state?.status === "code_sent" ? state.transaction : undefined;
}
