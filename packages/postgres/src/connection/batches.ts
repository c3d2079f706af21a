import type { Deadline } from "@doorcode/core/store";
import { type BatchedCall, createRowQueues } from "./row-queues.ts";

/**
 * Carries out calls that write different rows, in one statement, and resolves to their answers in the same order. With
 * {@link BatchDeps.carryOutAlone} the answer is `undefined` for a call that was left out.
 */
export type CarryOut<Call, Answer> = (
  calls: readonly Call[],
  deadline: Deadline,
) => Promise<readonly (Answer | undefined)[]>;

/**
 * Carries out a call that was left out because another transaction holds its row, or that is the only one. It may wait for that
 * transaction, so no other call waits for it.
 */
type CarryOutAlone<Call, Answer> = (call: Call, deadline: Deadline) => Promise<Answer>;

/** The dependencies of batches. */
export interface BatchDeps<Call extends BatchedCall, Answer> {
  readonly carryOut: CarryOut<Call, Answer>;
  readonly carryOutAlone?: CarryOutAlone<Call, Answer>;
  /** Starts the time that the calls of a turn may take, including their wait for other statements. */
  startDeadline(): Deadline;
}

/** A call that has no answer yet. */
interface Asked<Call, Answer> {
  readonly call: Call;
  readonly place: number;
  readonly turn: Turn<Call, Answer>;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
  /** The number of its rows that earlier calls write. */
  rowsTaken: number;
  isSent: boolean;
  isAnswered: boolean;
}

/** The calls of one turn of the process. They share the deadline: a timer for each would cost a call as much as its row. */
interface Turn<Call, Answer> {
  readonly deadline: Deadline;
  readonly calls: Asked<Call, Answer>[];
  unanswered: number;
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
 * Calls that write the same row are carried out in the order in which they came, each in a statement of its own. None of them waits
 * for one that is carried out by itself, so it may be done first.
 */
export function createBatches<Call extends BatchedCall, Answer>({
  carryOut,
  carryOutAlone,
  startDeadline,
}: BatchDeps<Call, Answer>): (call: Call) => Promise<Answer> {
  const rows = createRowQueues<Asked<Call, Answer>>();
  let running = 0;
  let places = 0;
  /** The turn whose calls are not yet sent. */
  let present: Turn<Call, Answer> | undefined;
  /** The call that was the only one, while it is carried out. */
  let only: Asked<Call, Answer> | undefined;

  function startTurn(): Turn<Call, Answer> {
    const turn: Turn<Call, Answer> = { deadline: startDeadline(), calls: [], unanswered: 0 };
    turn.deadline.race(new Promise<never>(() => undefined)).catch((error: unknown) => {
      for (const asked of turn.calls) if (end(asked)) asked.reject(error);
    });
    queueMicrotask(send);
    return turn;
  }

  function send(): void {
    // A statement that ends sends calls before their turn is over. The later ones of that turn get a deadline of their own.
    present = undefined;
    const isOnly = running === 0 && !only && rows.ready.length === 1;
    if (carryOutAlone && isOnly) leaveOutOnly(carryOutAlone);
    while (running < maxRunning && rows.ready.length > 0) void carryOutBatch(takeBatch());
  }

  /** Its own statement takes PostgreSQL half of the time that a batch of one would. */
  function leaveOutOnly(carryOutAlone: CarryOutAlone<Call, Answer>): void {
    [only] = takeBatch();
    if (!only) return;
    rows.leave(only);
    void carryOutOne(only, carryOutAlone);
  }

  /** Takes calls whose rows no earlier call writes, in the order in which they came. */
  function takeBatch(): readonly Asked<Call, Answer>[] {
    let [calls, size] = [0, 0];
    for (const asked of rows.ready) {
      asked.isSent = true;
      calls += 1;
      size += asked.call.writtenKeys.length;
      if (size >= maxWrittenKeys) break;
    }
    return rows.ready.splice(0, calls).sort((left, right) => left.place - right.place);
  }

  async function carryOutBatch(batch: readonly Asked<Call, Answer>[]): Promise<void> {
    running += 1;
    const calls = batch.map(({ call }) => call);
    try {
      // The call that came last has the most time left. The others have been answered when their own time is over.
      const answers = await carryOut(calls, batch.at(-1)?.turn.deadline ?? startDeadline());
      batch.forEach((asked, index) => {
        const answer = answers[index];
        if (answer === undefined && carryOutAlone) void carryOutOne(asked, carryOutAlone);
        else if (end(asked)) asked.resolve(answer as Answer);
      });
    } catch (error) {
      for (const asked of batch) if (end(asked)) asked.reject(error);
    } finally {
      for (const asked of batch) rows.leave(asked);
      running -= 1;
      send();
    }
  }

  async function carryOutOne(asked: Asked<Call, Answer>, carryOutAlone: CarryOutAlone<Call, Answer>): Promise<void> {
    if (asked.isAnswered) return;
    try {
      const answer = await carryOutAlone(asked.call, asked.turn.deadline);
      if (end(asked)) asked.resolve(answer);
    } catch (error) {
      if (end(asked)) asked.reject(error);
    }
  }

  /** Ends the wait of a call. Returns false if it was answered before. */
  function end(asked: Asked<Call, Answer>): boolean {
    if (asked.isAnswered) return false;
    asked.isAnswered = true;
    if (only === asked) only = undefined;
    if (!asked.isSent) giveUp(asked);
    const { turn } = asked;
    turn.unanswered -= 1;
    if (turn.unanswered === 0) turn.deadline.clear();
    return true;
  }

  /** A call that has waited too long is not carried out any more. One that was sent keeps its rows until PostgreSQL answers. */
  function giveUp(asked: Asked<Call, Answer>): void {
    const index = rows.ready.indexOf(asked);
    if (index >= 0) rows.ready.splice(index, 1);
    rows.leave(asked);
  }

  return (call) =>
    new Promise((resolve, reject) => {
      present ??= startTurn();
      const turn = present;
      const asked = { call, place: places++, turn, resolve, reject, rowsTaken: 0, isSent: false, isAnswered: false };
      turn.calls.push(asked);
      turn.unanswered += 1;
      rows.enter(asked);
    });
}
