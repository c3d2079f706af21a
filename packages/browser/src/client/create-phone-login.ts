import { type Call, call } from "./call.ts";
import { createLiveState } from "./live-state.ts";
import { isVisible, watchPage } from "./page-life.ts";
import type { LoginAction, LoginProblem } from "./problem.ts";
import { afterRefusal, type TimedLoginState, timed } from "./timed-state.ts";
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

/** The result of an action: the state, or the problem that refused it. Nothing is thrown. */
export type StateResult = { readonly state: TimedLoginState } | { readonly problem: LoginProblem };

/** The result of asking for the offer. */
export type OfferResult = { readonly offer: LoginOffer } | { readonly problem: LoginProblem };

/** All that a page shows. A new object whenever something has changed, and else the same one. */
export interface LoginSnapshot {
  /** The state; `undefined` until it is known. */
  readonly state: TimedLoginState | undefined;
  /** The problem of the last action; `undefined` once another one has begun. */
  readonly problem: LoginProblem | undefined;
  /** The action that is pending. */
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

/** Options of an action. */
export interface ActionOptions {
  /** Aborts the action. Its result is then the problem `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

/** The client of one mount, with its state kept up to date while it has a subscriber. */
export interface PhoneLoginClient {
  /** Sends a code. */
  start(input: StartInput, options?: ActionOptions): Promise<StateResult>;
  /** Confirms a code. The same code while it is being confirmed is sent once. */
  confirm(code: string, options?: ActionOptions): Promise<StateResult>;
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
  const listeners = new Set<() => void>();
  const closing = new AbortController();
  /** The newest action of each kind. */
  const newest = new Map<LoginAction, AbortController>();
  let pendingCount = 0;
  /** Actions are numbered as they begin. This is the newest one whose answer has told what it has changed. */
  let begun = 0;
  let answered = 0;
  let confirming: { readonly code: string; readonly result: Promise<StateResult> } | undefined;
  let keptOffer: LoginOffer | undefined;
  let snapshot: LoginSnapshot = {
    state: options.state && timed(options.state, undefined, Date.now()),
    problem: undefined,
    pending: undefined,
  };

  function change(members: Partial<LoginSnapshot>): void {
    const changed = Object.entries(members).some(([name, value]) => snapshot[name as keyof LoginSnapshot] !== value);
    if (!changed) return;
    snapshot = { ...snapshot, ...members };
    for (const listener of [...listeners]) listener();
  }

  function take(state: TimedLoginState & { readonly expiresAt?: number }): void {
    const before: typeof state | undefined = snapshot.state;
    // A page need not draw again what has not changed but for the seconds. The clock of the browser may have been set, too.
    if (before?.version !== state.version || before.expiresAt !== state.expiresAt) change({ state });
  }

  const read = (members: unknown) => timed(members as LoginState, snapshot.state, Date.now());
  const request = (action: LoginAction, path: string, more: Partial<Call> & Pick<Call, "signal">) =>
    call(send, { action, url: `${basePath}${path}`, ...more });

  const live = createLiveState({
    known: () => snapshot.state,
    take,
    async read(wait, signal) {
      const query = wait ? `?after=${encodeURIComponent(wait.after)}&waitSeconds=${wait.waitSeconds}` : "";
      const reply = await request("state", `/state${query}`, { signal });
      return "problem" in reply ? reply : { ...reply, state: read(reply.body) };
    },
  });

  function listen(fresh: boolean): void {
    if (listeners.size > 0 && pendingCount === 0 && isVisible() && !closing.signal.aborted) live.listen(fresh);
  }

  /** Makes this action the newest of its kind. Its signal and `close` abort it, and a newer action too if that is harmless. */
  function begin(action: LoginAction, signal: AbortSignal | undefined): AbortController {
    const controller = new AbortController();
    // A confirmation that is aborted on its way back would lose the cookie of its session.
    if (action !== "confirm" && action !== "offer") newest.get(action)?.abort();
    newest.set(action, controller);
    for (const source of [signal, closing.signal]) {
      if (source?.aborted) controller.abort();
      source?.addEventListener("abort", () => controller.abort(), { signal: controller.signal });
    }
    return controller;
  }

  async function perform(
    action: LoginAction,
    members: object | undefined,
    options?: ActionOptions,
  ): Promise<StateResult> {
    const controller = begin(action, options?.signal);
    const order = ++begun;
    // Its answer would show what was before this action.
    live.stop();
    pendingCount += 1;
    if (members) change({ problem: undefined, pending: action });
    const reply = await request(action, `/${action}`, { ...(members && { members }), signal: controller.signal });
    pendingCount -= 1;
    const isNewest = newest.get(action) === controller;
    // Nothing is left to abort: this takes its listeners off the signals.
    controller.abort();
    const result: StateResult = "problem" in reply ? reply : { state: read(reply.body) };
    // The state and a resend set no cookie: what they have seen is over when the answer to a later action is here.
    const isOld = order < answered && (!members || action === "resend");
    if (members && "state" in result) answered = Math.max(answered, order);
    const counts = !isOld && (isNewest || ("state" in result && action === "confirm"));
    change({ ...(pendingCount === 0 && { pending: undefined }), ...(counts && shownOf(result)) });
    // A refusal may have ended the open login, and a state that could not be read is asked for again.
    const isOpen = snapshot.state === undefined || snapshot.state.status === "code_sent";
    listen("problem" in result && isOpen);
    return result;
  }

  function shownOf(result: StateResult): Partial<LoginSnapshot> {
    if ("state" in result) return result;
    const { problem } = result;
    if (problem.code === "aborted") return {};
    const state = snapshot.state && afterRefusal(snapshot.state, problem);
    return problem.action === "state" ? { state } : { state, problem };
  }

  const transaction = () => (snapshot.state?.status === "code_sent" ? snapshot.state.transaction : undefined);
  let unwatch = () => {};

  return {
    start: (input, options) => perform("start", input, options),
    confirm(code, options) {
      if (confirming?.code === code) return confirming.result;
      const result = perform("confirm", { code, transaction: transaction() }, options).finally(() => {
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
      const controller = begin("offer", options?.signal);
      const reply = await request("offer", "/offer", { signal: controller.signal });
      controller.abort();
      if ("problem" in reply) return reply;
      keptOffer = reply.body as unknown as LoginOffer;
      return { offer: keptOffer };
    },
    subscribe(onChange) {
      const listener = () => onChange();
      listeners.add(listener);
      if (listeners.size === 1) {
        unwatch = watchPage({ onReturn: () => listen(true), onLeave: live.stop });
        listen(false);
      }
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0) return;
        unwatch();
        live.stop();
      };
    },
    getSnapshot: () => snapshot,
    close() {
      closing.abort();
      unwatch();
      live.stop();
    },
  };
}
