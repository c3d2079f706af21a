import type { ActionOptions, ActionOrder } from "./action-order.ts";
import type { Call, Reply } from "./call.ts";
import { createLiveState } from "./live-state.ts";
import { isVisible } from "./page-life.ts";
import type { LoginAction, LoginProblem } from "./problem.ts";
import type { Snapshots, StateResult } from "./snapshots.ts";

/** Sends a request of an action below the mount. */
export type Request = (
  action: LoginAction,
  path: string,
  more: Partial<Call> & Pick<Call, "signal">,
) => Promise<Reply | { readonly problem: LoginProblem }>;

/** The dependencies of {@link LoginActions}. */
export interface LoginActionsDeps {
  readonly snapshots: Snapshots;
  readonly request: Request;
  readonly order: ActionOrder;
  /** Aborts when the client is closed. */
  readonly closing: AbortSignal;
}

/** The actions of a client that answer with the state, and the live state between them. */
export interface LoginActions {
  /** Performs an action: a POST with `members`, and without them a GET. */
  perform(action: LoginAction, members: object | undefined, options?: ActionOptions): Promise<StateResult>;
  /** Follows the state while there is a listener and the page is visible. With `fresh` the state is read immediately. */
  follow(fresh: boolean): void;
  /** Stops to follow the state. */
  stop(): void;
}

/** Creates the actions of a client. */
export function createLoginActions({ snapshots, request, order, closing }: LoginActionsDeps): LoginActions {
  let pendingCount = 0;
  /** Actions are numbered as they begin. This is the newest one whose answer has told what it has changed. */
  let begun = 0;
  let answered = 0;

  const live = createLiveState({
    known: () => snapshots.get().state,
    take: snapshots.take,
    async read(wait, signal) {
      const query = wait ? `?after=${encodeURIComponent(wait.after)}&waitSeconds=${wait.waitSeconds}` : "";
      const reply = await request("state", `/state${query}`, { signal });
      return "problem" in reply ? reply : { ...reply, state: snapshots.read(reply.body) };
    },
  });

  function follow(fresh: boolean): void {
    if (snapshots.hasListeners() && pendingCount === 0 && isVisible() && !closing.aborted) live.listen(fresh);
  }

  return {
    follow,
    stop: live.stop,
    async perform(action, members, options) {
      const controller = order.begin(action, options?.signal);
      const number = ++begun;
      // Its answer would show what was before this action.
      live.stop();
      pendingCount += 1;
      if (members) snapshots.change({ problem: undefined, pending: action });
      const reply = await request(action, `/${action}`, { ...(members && { members }), signal: controller.signal });
      pendingCount -= 1;
      const isNewest = order.isNewest(action, controller);
      // Nothing is left to abort: this takes its listeners off the signals.
      controller.abort();
      const result: StateResult = "problem" in reply ? reply : { state: snapshots.read(reply.body) };
      // The state and a resend set no cookie: what they have seen is over when the answer to a later action is here.
      const isOld = number < answered && (!members || action === "resend");
      if (members && "state" in result) answered = Math.max(answered, number);
      const counts = !isOld && (isNewest || ("state" in result && action === "confirm"));
      const changes = counts ? snapshots.changesOf(result) : {};
      snapshots.change({ ...(pendingCount === 0 && { pending: undefined }), ...changes });
      // A refusal may have ended the open login, and a state that could not be read is asked for again.
      const { state } = snapshots.get();
      follow("problem" in result && (state === undefined || state.status === "code_sent"));
      return result;
    },
  };
}
