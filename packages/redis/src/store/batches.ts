import { isErrorReply } from "../connection/error-reply.ts";
import { toUnavailable } from "../connection/unavailable.ts";
import type { KeyCommand } from "./commands.ts";

type Send = (commands: readonly KeyCommand[]) => Promise<readonly unknown[]>;

/** The commands of one call, whose promise is settled with their replies. */
interface Call {
  readonly size: number;
  resolve(replies: readonly unknown[]): void;
  reject(error: unknown): void;
}

/** The commands of one script, and the calls that have asked for them, in the same order. */
interface Batch {
  readonly commands: KeyCommand[];
  readonly calls: Call[];
}

/**
 * While a script runs, Redis serves nobody else. That many commands take it about a millisecond. With half as many, the way there and
 * back cost a busy app a tenth more CPU.
 */
const maxPerScript = 400;

/**
 * Collects the commands of a turn of the event loop, and sends them at its end: no timer and no other event comes in between.
 *
 * A turn with many calls fills several scripts. Each settles its own calls, so this process works on the replies of one while Redis runs
 * the next one.
 */
export function createBatches(send: Send): Send {
  let open: Batch | undefined;

  function close(batch: Batch): void {
    if (open !== batch) return;
    open = undefined;
    void settle(send, batch);
  }

  function roomFor(size: number): Batch {
    if (open && open.commands.length + size > maxPerScript) close(open);
    if (open) return open;
    const batch: Batch = { commands: [], calls: [] };
    open = batch;
    // The next turn of the event loop would come later, and bring little more.
    process.nextTick(close, batch);
    return batch;
  }

  function add(commands: readonly KeyCommand[]): Promise<readonly unknown[]> {
    const batch = roomFor(commands.length);
    return new Promise((resolve, reject) => {
      batch.commands.push(...commands);
      batch.calls.push({ size: commands.length, resolve, reject });
    });
  }

  async function addInParts(commands: readonly KeyCommand[]): Promise<readonly unknown[]> {
    const parts: Promise<readonly unknown[]>[] = [];
    for (let first = 0; first < commands.length; first += maxPerScript) {
      parts.push(add(commands.slice(first, first + maxPerScript)));
    }
    return (await Promise.all(parts)).flat();
  }

  return (commands) => (commands.length > maxPerScript ? addInParts(commands) : add(commands));
}

/** Sends a batch, and settles each of its calls with its own replies. */
async function settle(send: Send, { commands, calls }: Batch): Promise<void> {
  try {
    const replies = await send(commands);
    let next = 0;
    for (const { size, resolve, reject } of calls) {
      const own = replies.slice(next, next + size);
      next += size;
      const failure = own.find(isErrorReply);
      if (failure) reject(toUnavailable(failure, "store"));
      else resolve(own);
    }
  } catch (error) {
    for (const { reject } of calls) reject(error);
  }
}

/** Returns replies, unless one of them is an error. @throws DoorcodeError `store_unavailable` */
export function throwFailure(replies: readonly unknown[]): readonly unknown[] {
  const failure = replies.find(isErrorReply);
  if (failure) throw toUnavailable(failure, "store");
  return replies;
}
