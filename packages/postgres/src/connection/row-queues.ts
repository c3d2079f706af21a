/** A call that may travel with others in one statement. */
export interface BatchedCall {
  /** The keys of the rows that the call writes, each once: one statement can write a row only once. */
  readonly writtenKeys: readonly string[];
}

/** A call in the queues of its rows. */
interface QueuedCall {
  readonly call: BatchedCall;
  /** The number of its rows that earlier calls write. */
  rowsTaken: number;
}

/** A queue for each row that waiting or running calls write. */
export interface RowQueues<Queued> {
  /** The calls whose rows no earlier call writes. Whoever takes one removes it here, and lets it leave when it is done. */
  readonly ready: Set<Queued>;
  /** Puts a call last in the queues of its rows. */
  enter(queued: Queued): void;
  /** Takes a call out of the queues, also one that is not ready. */
  leave(queued: Queued): void;
}

/**
 * Creates empty queues. A call costs the same however many others wait for its rows: looking through all that wait, for each
 * statement, would keep the process busy for seconds when thousands of calls wait for one row.
 */
export function createRowQueues<Queued extends QueuedCall>(): RowQueues<Queued> {
  const queues = new Map<string, Set<Queued>>();
  const ready = new Set<Queued>();

  function leaveRow(key: string, queued: Queued): void {
    const queue = queues.get(key);
    if (!queue) return;
    const wasFirst = firstOf(queue) === queued;
    queue.delete(queued);
    const next = firstOf(queue);
    if (!next) queues.delete(key);
    else if (wasFirst) {
      next.rowsTaken -= 1;
      if (next.rowsTaken === 0) ready.add(next);
    }
  }

  return {
    ready,
    enter(queued) {
      for (const key of queued.call.writtenKeys) {
        const queue = queues.get(key);
        if (queue) queued.rowsTaken += 1;
        queues.set(key, (queue ?? new Set()).add(queued));
      }
      if (queued.rowsTaken === 0) ready.add(queued);
    },
    leave(queued) {
      ready.delete(queued);
      for (const key of queued.call.writtenKeys) leaveRow(key, queued);
    },
  };
}

function firstOf<Item>(items: ReadonlySet<Item>): Item | undefined {
  return items.values().next().value;
}
