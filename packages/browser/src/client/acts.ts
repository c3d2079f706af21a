import type { Call, call } from "./call.ts";
import type { ActOptions, StateResult } from "./phone-login-client.ts";
import type { LoginAction } from "./problem.ts";
import type { ShownSnapshot } from "./snapshot.ts";

/** Sends the request of an act. */
export type SendRequest = (
  action: LoginAction,
  path: string,
  more: Partial<Call> & Pick<Call, "signal">,
) => ReturnType<typeof call>;

/** The dependencies of the acts of a client. */
export interface ActDeps {
  readonly shown: ShownSnapshot;
  readonly request: SendRequest;
  /** Aborts every act, for good. */
  readonly closed: AbortSignal;
  /** Called when an act begins: the answer to an earlier question would show what was before it. */
  readonly onBegin: () => void;
  /** Called after an act. With `fresh` the state has to be asked immediately. */
  readonly onEnd: (fresh: boolean) => void;
}

/** The acts of a client. */
export interface Acts {
  /** Makes this act the newest of its kind. Its signal and the end of the client abort it, and a newer act too if that is harmless. */
  begin(action: LoginAction, signal: AbortSignal | undefined): AbortController;
  /** Does an act and shows its result. Without members nothing is asked but the state. */
  act(action: LoginAction, members: object | undefined, options?: ActOptions): Promise<StateResult>;
  /** Tells whether no act is open. */
  isIdle(): boolean;
}

/** Creates the acts of a client. */
export function createActs({ shown, request, closed, onBegin, onEnd }: ActDeps): Acts {
  const { begin, isNewest } = createNewestActs(closed);
  let open = 0;
  /** Acts are numbered as they begin. `answered` is the newest one whose answer has told what it has changed. */
  let begun = 0;
  let answered = 0;

  /** Tells whether the page must show a result. */
  function counts(result: StateResult, action: LoginAction, controller: AbortController, isOld: boolean): boolean {
    return !isOld && (isNewest(action, controller) || ("state" in result && action === "confirm"));
  }

  return {
    begin,
    isIdle: () => open === 0,
    async act(action, members, options) {
      const controller = begin(action, options?.signal);
      const order = ++begun;
      onBegin();
      open += 1;
      if (members) shown.change({ problem: undefined, pending: action });
      const reply = await request(action, `/${action}`, { ...(members && { members }), signal: controller.signal });
      open -= 1;
      // Nothing is left to abort: this takes its listeners off the signals.
      controller.abort();
      const result: StateResult = "problem" in reply ? reply : { state: shown.read(reply.body) };
      // The state and a resend set no cookie: what they have seen is over when the answer to a later act is here.
      const isOld = order < answered && (!members || action === "resend");
      if (members && "state" in result) answered = Math.max(answered, order);
      const ended = open === 0 ? { pending: undefined } : {};
      if (counts(result, action, controller, isOld)) shown.show(result, ended);
      else shown.change(ended);
      // A refusal may have ended the login, and a state that could not be read is asked for again.
      const { state } = shown.get();
      onEnd("problem" in result && (state === undefined || state.status === "code_sent"));
      return result;
    },
  };
}

function createNewestActs(closed: AbortSignal) {
  const newest = new Map<LoginAction, AbortController>();
  return {
    begin(action: LoginAction, signal: AbortSignal | undefined): AbortController {
      const controller = new AbortController();
      // A confirmation that is aborted on its way back would lose the cookie of its session.
      if (action !== "confirm" && action !== "offer") newest.get(action)?.abort();
      newest.set(action, controller);
      for (const source of [signal, closed]) {
        if (source?.aborted) controller.abort();
        source?.addEventListener("abort", () => controller.abort(), { signal: controller.signal });
      }
      return controller;
    },
    isNewest: (action: LoginAction, controller: AbortController) => newest.get(action) === controller,
  };
}
