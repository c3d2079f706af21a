import type { LoginSnapshot, StateResult } from "./phone-login-client.ts";
import { afterRefusal, type TimedLoginState, timed } from "./timed-state.ts";
import type { LoginState } from "./wire.ts";

/** The snapshot of a client, and the functions that hear of its changes. */
export interface ShownSnapshot {
  /** Returns the snapshot. The same object until something changes. */
  get(): LoginSnapshot;
  /** Returns the state that an answer tells, with its instants on the clock of the browser. */
  read(body: unknown): TimedLoginState;
  /** Changes members of the snapshot. */
  change(members: Partial<LoginSnapshot>): void;
  /** Shows the state or the problem of an act. */
  show(result: StateResult, members: Partial<LoginSnapshot>): void;
  /** Shows a state that was read without an act. */
  take(state: TimedLoginState): void;
  readonly listeners: Set<() => void>;
}

/** Creates the snapshot of a client, with the state that the server has rendered, if there is one. */
export function createSnapshot(initial: LoginState | undefined): ShownSnapshot {
  const listeners = new Set<() => void>();
  const state = initial && timed(initial, undefined, Date.now());
  let snapshot: LoginSnapshot = { state, problem: undefined, pending: undefined };

  function change(members: Partial<LoginSnapshot>): void {
    const changed = Object.entries(members).some(([name, value]) => snapshot[name as keyof LoginSnapshot] !== value);
    if (!changed) return;
    snapshot = { ...snapshot, ...members };
    for (const listener of [...listeners]) listener();
  }

  return {
    listeners,
    change,
    get: () => snapshot,
    read: (body) => timed(body as LoginState, snapshot.state, Date.now()),
    show: (result, members) => change({ ...members, ...shownOf(result, snapshot.state) }),
    take(state: TimedLoginState & { readonly expiresAt?: number }) {
      const before: typeof state | undefined = snapshot.state;
      // A page need not draw again what has not changed but for the seconds. The clock of the browser may have been set, too.
      if (before?.version !== state.version || before.expiresAt !== state.expiresAt) change({ state });
    },
  };
}

function shownOf(result: StateResult, before: TimedLoginState | undefined): Partial<LoginSnapshot> {
  if ("state" in result) return result;
  const { problem } = result;
  if (problem.code === "aborted") return {};
  const state = before && afterRefusal(before, problem);
  return { state, ...(problem.action !== "state" && { problem }) };
}
