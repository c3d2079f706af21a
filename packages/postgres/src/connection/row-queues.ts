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
  readonly ready: Queued[];
  /** Puts a call last in the queues of its rows. */
  enter(queued: Queued): void;
  /** Takes a call out of the queues of its rows. */
  leave(queued: Queued): void;
}

/**
 * Creates empty queues. A call costs the same however many others wait for its rows: looking through all that wait, for each
 * statement, would keep the process busy for seconds when thousands of calls wait for one row. A call that leaves is the first of its
 * queues or, when its time is over, close behind it.
 *
 * The queues are arrays. V8 links each table that a `Set` has outgrown to the next one, so once a table is in the old generation, the
 * calls of all later tables follow it there, and wait for a full collection.
 */
export function createRowQueues<Queued extends QueuedCall>(): RowQueues<Queued> {
  const queues = new Map<string, Queued[]>();
  const ready: Queued[] = [];

  function leaveRow(key: string, queued: Queued): void {
    const queue = queues.get(key);
    const index = queue?.indexOf(queued) ?? -1;
    if (!queue || index < 0) return;
    if (index > 0) return void queue.splice(index, 1);
    queue.shift();
    const [next] = queue;
    if (!next) return void queues.delete(key);
    next.rowsTaken -= 1;
    if (next.rowsTaken === 0) ready.push(next);
  }

  return {
    ready,
    enter(queued) {
      for (const key of queued.call.writtenKeys) {
        const queue = queues.get(key);
        if (queue) {
          queue.push(queued);
          queued.rowsTaken += 1;
        } else queues.set(key, [queued]);
      }
      if (queued.rowsTaken === 0) ready.push(queued);
    },
    leave(queued) {
      for (const key of queued.call.writtenKeys) leaveRow(key, queued);
    },
  };
}
