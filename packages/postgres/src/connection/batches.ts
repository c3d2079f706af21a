import type { Deadline } from "@doorcode/core/clock";
import { type BatchedCall, createRowQueues } from "./row-queues.ts";

/**
 * Carries out calls that write different rows, in one statement, and resolves to their answers in the same order. With
 * {@link BatchDeps.carryOutAlone} the answer is `undefined` for a call that was left out.
 */
export type CarryOut<Call, Answer> = (
  calls: readonly Call[],
  deadline: Deadline,
) => Promise<readonly (Answer | undefined)[]>;

/** The dependencies of batches. */
export interface BatchDeps<Call extends BatchedCall, Answer> {
  readonly carryOut: CarryOut<Call, Answer>;
  /**
   * Carries out a call that was left out because another transaction holds its row, or that is the only one. It may wait for that
   * transaction, so no other call waits for it.
   */
  readonly carryOutAlone?: (call: Call, deadline: Deadline) => Promise<Answer>;
  /** Starts the time that one call may take, including its wait for other statements. */
  startDeadline(): Deadline;
}

/** A call that has no answer yet. */
interface Asked<Call, Answer> {
  readonly call: Call;
  readonly place: number;
  readonly deadline: Deadline;
  readonly answered: PromiseWithResolvers<Answer | undefined>;
  /** The number of its rows that earlier calls write. */
  rowsTaken: number;
  isSent: boolean;
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
  carryOutAlone,
  startDeadline,
}: BatchDeps<Call, Answer>): (call: Call) => Promise<Answer> {
  const rows = createRowQueues<Asked<Call, Answer>>();
  let running = 0;
  let places = 0;
  let isScheduled = false;
  /** The call that was the only one, while it is carried out. */
  let only: Asked<Call, Answer> | undefined;

  function send(): void {
    isScheduled = false;
    const isOnly = running === 0 && !only && rows.ready.size === 1;
    if (carryOutAlone && isOnly) leaveOutOnly();
    while (running < maxRunning && rows.ready.size > 0) void carryOutBatch(takeBatch());
  }

  /** Its own statement takes PostgreSQL half of the time that a batch of one would. */
  function leaveOutOnly(): void {
    [only] = takeBatch();
    if (only) rows.leave(only);
    only?.answered.resolve(undefined);
  }

  /** Takes calls whose rows no earlier call writes, in the order in which they came. */
  function takeBatch(): readonly Asked<Call, Answer>[] {
    const batch: Asked<Call, Answer>[] = [];
    let size = 0;
    for (const asked of rows.ready) {
      rows.ready.delete(asked);
      asked.isSent = true;
      batch.push(asked);
      size += asked.call.writtenKeys.length;
      if (size >= maxWrittenKeys) break;
    }
    return batch.sort((left, right) => left.place - right.place);
  }

  async function carryOutBatch(batch: readonly Asked<Call, Answer>[]): Promise<void> {
    running += 1;
    const calls = batch.map(({ call }) => call);
    try {
      // The call that came last has the most time left. The others have been answered when their own time is over.
      const answers = await carryOut(calls, batch.at(-1)?.deadline ?? startDeadline());
      batch.forEach(({ answered }, index) => {
        answered.resolve(answers[index]);
      });
    } catch (error) {
      for (const { answered } of batch) answered.reject(error);
    } finally {
      for (const asked of batch) rows.leave(asked);
      running -= 1;
      send();
    }
  }

  return async (call) => {
    const deadline = startDeadline();
    const answered = Promise.withResolvers<Answer | undefined>();
    const asked = { call, place: places++, deadline, answered, rowsTaken: 0, isSent: false };
    rows.enter(asked);
    if (!isScheduled) {
      isScheduled = true;
      queueMicrotask(send);
    }
    try {
      const answer = await deadline.race(answered.promise);
      return answer === undefined && carryOutAlone ? await carryOutAlone(call, deadline) : (answer as Answer);
    } finally {
      deadline.clear();
      if (only === asked) only = undefined;
      // A call that has waited too long is not carried out any more. One that was sent keeps its rows until PostgreSQL answers.
      if (!asked.isSent) rows.leave(asked);
    }
  };
}
