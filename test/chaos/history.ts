/** An event that the service sent, by its own record. No two events of one thing share an instant. */
export interface SentEvent {
  /** The message or verification. */
  readonly entity: string;
  /** ISO 8601 with milliseconds: the order of texts is the order of time. */
  readonly instant: string;
  /** The status that it tells. */
  readonly told: string;
  /** All attempts failed, and nothing but a reconciliation may bring it. */
  readonly failed: boolean;
}

/** A run of a handler that had its effect, or would have had it in a transaction that was rolled back. */
export interface Run extends Pick<SentEvent, "entity" | "instant" | "told"> {
  /** `event.key`. */
  readonly key: string;
  readonly at: number;
  readonly process: number;
}

/** A time in which a process of the app, or the store, was killed, or in which a process got no answer of the store. */
export interface Interruption {
  readonly from: number;
  readonly to: number;
  /** The process of the app; undefined for the store, which all processes need. */
  readonly process: number | undefined;
}

/** All that is known of a chaos run: what was sent, what was done, and what was interrupted. */
export interface History {
  readonly sent: readonly SentEvent[];
  readonly runs: readonly Run[];
  /** When the app skipped an event because a newer one had begun: by {@link nameOf}. */
  readonly skipped: ReadonlyMap<string, readonly number[]>;
  /** When an event first came to the app: by {@link nameOf}. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** When a handler of an event threw, before its effect: by {@link nameOf}. */
  readonly failures: ReadonlyMap<string, readonly number[]>;
  /** True if effects are written in the transaction that marks their event: a run that was rolled back has none. */
  readonly transactional: boolean;
  /** The effects, by {@link nameOf}, in their order, and as often as they happened. */
  readonly effects: readonly string[];
  readonly interruptions: readonly Interruption[];
}

/** Something that a process did, and when. */
export type Action = Pick<Run, "at" | "process">;

/**
 * Tells whether an action was repeated without a reason. The only reasons are that its process, or the store, ended between
 * the two times, or that its process got no answer of the store.
 *
 * @param actions - the same action, in the order of time.
 */
export function isRepeatedForNothing(actions: readonly Action[], interruptions: readonly Interruption[]): boolean {
  return actions.slice(1).some((again, index) => {
    const before = actions[index] ?? again;
    return !interruptions.some(({ from, to, process }) => {
      const concerns = process === undefined || process === before.process;
      return concerns && to >= before.at && from <= again.at;
    });
  });
}

/** Names an event by what the service says of it, so that nothing rests on the kit's key. */
export function nameOf({ entity, instant }: Pick<SentEvent, "entity" | "instant">): string {
  return `${entity} ${instant}`;
}

/**
 * The effects of handlers that write under `event.key`: one per event. Where a handler ran again, its last run counts for
 * the order, since that is the one whose event was marked as handled.
 */
export function keyedEffects(runs: readonly Run[]): readonly string[] {
  const standing = new Map<string, string>();
  for (const run of runs) {
    standing.delete(run.key);
    standing.set(run.key, nameOf(run));
  }
  return [...standing.values()];
}
