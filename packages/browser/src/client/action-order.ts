import type { LoginAction } from "./problem.ts";

/** Options of an action. */
export interface ActionOptions {
  /** Aborts the action. Its result is then the problem `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

/** The order of a client's actions: a newer one aborts an older one of its kind. */
export interface ActionOrder {
  /** Makes an action the newest of its kind. Its signal and the end of the client abort it, and a newer action too if that is harmless. */
  begin(action: LoginAction, signal: AbortSignal | undefined): AbortController;
  /** Tells whether an action is still the newest of its kind. */
  isNewest(action: LoginAction, controller: AbortController): boolean;
}

/** Creates the order of a client's actions, which ends with `closing`. */
export function createActionOrder(closing: AbortSignal): ActionOrder {
  const newest = new Map<LoginAction, AbortController>();
  return {
    begin(action, signal) {
      const controller = new AbortController();
      // A confirmation that is aborted on its way back would lose the cookie of its session.
      if (action !== "confirm" && action !== "offer") newest.get(action)?.abort();
      newest.set(action, controller);
      for (const source of [signal, closing]) {
        if (source?.aborted) controller.abort();
        source?.addEventListener("abort", () => controller.abort(), { signal: controller.signal });
      }
      return controller;
    },
    isNewest: (action, controller) => newest.get(action) === controller,
  };
}
