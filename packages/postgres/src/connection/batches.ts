import type { Deadline } from "@doorcode/core/clock";

/** A call that may travel with others in one statement. */
export interface BatchedCall {
  /** The keys of the rows that the call writes. One statement can write a row only once. */
  readonly writtenKeys: readonly string[];
}

/** Carries out calls that write different rows, in one statement, and resolves to their answers in the same order. */
export type CarryOut<Call, Answer> = (calls: readonly Call[], deadline: Deadline) => Promise<readonly Answer[]>;

/** The dependencies of batches. */
export interface BatchDeps<Call extends BatchedCall, Answer> {
  readonly carryOut: CarryOut<Call, Answer>;
  /** Starts the time that one call may take, including its wait for other statements. */
  startDeadline(): Deadline;
}

interface Waiting<Call, Answer> {
  readonly call: Call;
  readonly deadline: Deadline;
  readonly answered: PromiseWithResolvers<Answer>;
}

/**
 * So many statements of one kind run at once in a process. With fewer, one slow answer would hold up every call; with more, the
 * calls of a busy process are divided among small statements, and each of those is planned and waits for the disk.
 */
const maxRunning = 2;

/** A statement of more rows keeps others waiting for its rows. */
const maxWrittenKeys = 500;

/**
 * Creates a function that gathers calls into statements: a call is sent at the end of the current turn of the process, or, while
 * `maxRunning` statements run, together with all that waits when one of them is done.
 *
 * Calls that write the same row are carried out in the order in which they came, each in a statement of its own.
 */
export function createBatches<Call extends BatchedCall, Answer>({
  carryOut,
  startDeadline,
}: BatchDeps<Call, Answer>): (call: Call) => Promise<Answer> {
  const waiting = new Set<Waiting<Call, Answer>>();
  const busyKeys = new Set<string>();
  let running = 0;
  let isScheduled = false;

  function send(): void {
    isScheduled = false;
    while (running < maxRunning && waiting.size > 0) {
      const batch = takeBatch();
      if (batch.length === 0) return;
      void carryOutBatch(batch);
    }
  }

  /** Takes the calls whose rows nobody else writes, and leaves a call behind the earlier ones of its rows. */
  function takeBatch(): readonly Waiting<Call, Answer>[] {
    const batch: Waiting<Call, Answer>[] = [];
    const keysOfEarlier = new Set<string>();
    let size = 0;
    for (const candidate of waiting) {
      const { writtenKeys } = candidate.call;
      const isFree = !writtenKeys.some((key) => busyKeys.has(key) || keysOfEarlier.has(key));
      for (const key of writtenKeys) (isFree ? busyKeys : keysOfEarlier).add(key);
      if (!isFree) continue;
      waiting.delete(candidate);
      batch.push(candidate);
      size += writtenKeys.length;
      if (size >= maxWrittenKeys) break;
    }
    return batch;
  }

  async function carryOutBatch(batch: readonly Waiting<Call, Answer>[]): Promise<void> {
    running += 1;
    const calls = batch.map(({ call }) => call);
    try {
      // The call that came last has the most time left. The others have been answered when their own time is over.
      const answers = await carryOut(calls, batch.at(-1)?.deadline ?? startDeadline());
      batch.forEach(({ answered }, index) => {
        answered.resolve(answers[index] as Answer);
      });
    } catch (error) {
      for (const { answered } of batch) answered.reject(error);
    } finally {
      for (const { writtenKeys } of calls) for (const key of writtenKeys) busyKeys.delete(key);
      running -= 1;
      send();
    }
  }

  return async (call) => {
    const asked = { call, deadline: startDeadline(), answered: Promise.withResolvers<Answer>() };
    waiting.add(asked);
    if (!isScheduled) {
      isScheduled = true;
      queueMicrotask(send);
    }
    try {
      return await asked.deadline.race(asked.answered.promise);
    } finally {
      asked.deadline.clear();
      // A call that has waited too long is not carried out any more.
      waiting.delete(asked);
    }
  };
}
