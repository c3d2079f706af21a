import type { LoginAction, LoginProblem } from "./problem.ts";
import { afterRefusal, type TimedLoginState, timed } from "./timed-state.ts";
import type { LoginState } from "./wire.ts";

/** The result of an action: the state, or the problem that refused it. Nothing is thrown. */
export type StateResult = { readonly state: TimedLoginState } | { readonly problem: LoginProblem };

/** All that a page shows. A new object whenever something has changed, and else the same one. */
export interface LoginSnapshot {
  /** The state; `undefined` until it is known. */
  readonly state: TimedLoginState | undefined;
  /** The problem of the last action; `undefined` once another one has begun. */
  readonly problem: LoginProblem | undefined;
  /** The pending action of the person, until which no other one may begin. Reading the state or the offer is none. */
  readonly pending: LoginAction | undefined;
}

/** The snapshots of a client, one after the other. */
export interface Snapshots {
  get(): LoginSnapshot;
  /** Makes a new snapshot if a member is another one, and tells every listener. */
  change(members: Partial<LoginSnapshot>): void;
  /** Reads a state that the server has sent: its times become absolute. */
  read(members: unknown): TimedLoginState;
  /** Takes a state that is news to the page. */
  take(state: TimedLoginState): void;
  /** What the result of an action changes. */
  changesOf(result: StateResult): Partial<LoginSnapshot>;
  /** Adds a listener. The returned function removes it, and returns false if it was removed before. */
  listen(onChange: () => void): () => boolean;
  /** True while there is a listener. */
  hasListeners(): boolean;
}

/** Creates the snapshots of a client, beginning with a state that is known already. */
export function createSnapshots(known: LoginState | undefined): Snapshots {
  const listeners = new Set<() => void>();
  let snapshot: LoginSnapshot = {
    state: known && timed(known, undefined, Date.now()),
    problem: undefined,
    pending: undefined,
  };

  function change(members: Partial<LoginSnapshot>): void {
    const changed = Object.entries(members).some(([name, value]) => snapshot[name as keyof LoginSnapshot] !== value);
    if (!changed) return;
    snapshot = { ...snapshot, ...members };
    for (const listener of [...listeners]) listener();
  }

  return {
    get: () => snapshot,
    change,
    read: (members) => timed(members as LoginState, snapshot.state, Date.now()),
    take(state: TimedLoginState & { readonly expiresAt?: number }) {
      const before: typeof state | undefined = snapshot.state;
      // A page need not draw again what has not changed but for the seconds. The clock of the browser may have been set, too.
      if (before?.version !== state.version || before.expiresAt !== state.expiresAt) change({ state });
    },
    changesOf(result) {
      if ("state" in result) return result;
      const { problem } = result;
      if (problem.code === "aborted") return {};
      const state = snapshot.state && afterRefusal(snapshot.state, problem);
      return problem.action === "state" ? { state } : { state, problem };
    },
    listen(onChange) {
      const listener = () => onChange();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hasListeners: () => listeners.size > 0,
  };
}
