import { createActs, type SendRequest } from "./acts.ts";
import { call } from "./call.ts";
import { createLiveState, type LiveState } from "./live-state.ts";
import { isVisible, watchPage } from "./page-life.ts";
import type { PhoneLoginClient, PhoneLoginOptions, StateResult } from "./phone-login-client.ts";
import { createSnapshot, type ShownSnapshot } from "./snapshot.ts";
import type { LoginOffer } from "./wire.ts";

/**
 * Creates the client of a login.
 *
 * An act that is refused resolves to a problem and never throws. A newer act makes the answer of an older one of the same
 * kind irrelevant; only a login that it has completed counts.
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
  const request: SendRequest = (action, path, more) => call(send, { action, url: `${basePath}${path}`, ...more });
  const shown = createSnapshot(options.state);
  const live = createLive(shown, request);
  const closing = new AbortController();
  const listen = (fresh: boolean) => {
    const mayListen = shown.listeners.size > 0 && isIdle() && isVisible() && !closing.signal.aborted;
    if (mayListen) live.listen(fresh);
  };
  const { act, begin, isIdle } = createActs({
    shown,
    request,
    closed: closing.signal,
    onBegin: live.stop,
    onEnd: listen,
  });
  const transaction = () => {
    const { state } = shown.get();
    return state?.status === "code_sent" ? state.transaction : undefined;
  };
  const subscription = createSubscription(shown, live, listen);
  let keptOffer: LoginOffer | undefined;

  return {
    start: (input, options) => act("start", input, options),
    confirm: confirmOnce((code, options) => act("confirm", { code, transaction: transaction() }, options)),
    resend: (input, options) => act("resend", { ...input, transaction: transaction() }, options),
    cancel: (options) => act("cancel", { transaction: transaction() }, options),
    logout: (options) => act("logout", {}, options),
    state: (options) => act("state", undefined, options),
    async offer(options) {
      if (keptOffer) return { offer: keptOffer };
      const controller = begin("offer", options?.signal);
      const reply = await request("offer", "/offer", { signal: controller.signal });
      controller.abort();
      if ("problem" in reply) return reply;
      keptOffer = reply.body as unknown as LoginOffer;
      return { offer: keptOffer };
    },
    subscribe: subscription.add,
    getSnapshot: shown.get,
    close() {
      closing.abort();
      subscription.end();
    },
  };
}

function createLive(shown: ShownSnapshot, request: SendRequest): LiveState {
  return createLiveState({
    known: () => shown.get().state,
    take: shown.take,
    async read(wait, signal) {
      const query = wait ? `?after=${encodeURIComponent(wait.after)}&waitSeconds=${wait.waitSeconds}` : "";
      const reply = await request("state", `/state${query}`, { signal });
      return "problem" in reply ? reply : { ...reply, state: shown.read(reply.body) };
    },
  });
}

/** Sends a code once, however often it is confirmed until its answer is here. */
function confirmOnce(confirm: PhoneLoginClient["confirm"]): PhoneLoginClient["confirm"] {
  let confirming: { readonly code: string; readonly result: Promise<StateResult> } | undefined;
  return (code, options) => {
    if (confirming?.code === code) return confirming.result;
    const result = confirm(code, options).finally(() => {
      if (confirming?.result === result) confirming = undefined;
    });
    confirming = { code, result };
    return result;
  };
}

/** Creates what watches the page while somebody is subscribed. */
function createSubscription({ listeners }: ShownSnapshot, live: LiveState, listen: (fresh: boolean) => void) {
  let unwatch = () => {};
  const end = () => {
    unwatch();
    live.stop();
  };
  return {
    end,
    add(onChange: () => void): () => void {
      const listener = () => onChange();
      listeners.add(listener);
      if (listeners.size === 1) {
        unwatch = watchPage({ onReturn: () => listen(true), onLeave: live.stop });
        listen(false);
      }
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) end();
      };
    },
  };
}
