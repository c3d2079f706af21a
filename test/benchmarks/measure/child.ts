import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** The root of this checkout. */
const thisCheckout = join(import.meta.dirname, "../../..");

/** A process that answers one message after the other. */
export interface Child {
  /** The first message of the process. */
  readonly hello: unknown;
  /** Sends a message and returns the answer. */
  ask(message: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Starts a program of the benchmarks in a process of its own, as it runs in production, and waits for its first message.
 *
 * @param checkout - the root of the checkout whose program and packages run
 * @throws Error if the process ends before it answers
 */
export async function startChild(
  program: string,
  words: readonly string[] = [],
  checkout: string = thisCheckout,
): Promise<Child> {
  const env = { ...process.env, NODE_ENV: "production" };
  const child = fork(join(checkout, "test/benchmarks", program), words, { execArgv: [], env });
  const ended = once(child, "exit").then(([status]) => {
    throw new Error(`${program} ended with ${status}.`);
  });
  // The end of a process that nothing is asked of is no error.
  ended.catch(() => undefined);
  const receive = async () => (await Promise.race([once(child, "message"), ended]))[0] as unknown;
  return {
    hello: await receive(),
    ask(message) {
      child.send(message as object);
      return receive();
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      // The program ends by itself, and first what it has started.
      child.disconnect();
      await once(child, "exit");
    },
  };
}
