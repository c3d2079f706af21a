import TinyQueue from "tinyqueue";

/** Something that waits for its time. */
export interface Waiting {
  /** Unix milliseconds on the clock of the application. */
  readonly dueMilliseconds: number;
  /** False once it was taken back: then its time means nothing. */
  isWanted(): boolean;
  /** Does it. It returns before anything else is done. */
  perform(): void;
}

/** What waits, by its time; what is due at one instant in the order in which it was added. */
export interface WaitingQueue {
  add(waiting: Waiting): void;
  /** What comes first, without what was taken back. */
  peek(): Waiting | undefined;
  /** Takes that out. */
  take(): Waiting | undefined;
}

interface Entry {
  readonly waiting: Waiting;
  readonly number: number;
}

/** Creates an empty queue. */
export function createWaitingQueue(): WaitingQueue {
  const queue = new TinyQueue<Entry>([], byTime);
  let number = 0;
  const peek = () => {
    while (queue.peek()?.waiting.isWanted() === false) queue.pop();
    return queue.peek()?.waiting;
  };

  return {
    add: (waiting) => queue.push({ waiting, number: number++ }),
    peek,
    take: () => (peek() ? queue.pop()?.waiting : undefined),
  };
}

function byTime(left: Entry, right: Entry): number {
  return left.waiting.dueMilliseconds - right.waiting.dueMilliseconds || left.number - right.number;
}
