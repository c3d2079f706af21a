import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Cost } from "./subject.ts";

/** The question for the CPU time that a server has used until now. */
export const usageQuestion = "usage";

function send(message: unknown): void {
  process.send?.(message);
}

/** The CPU time of this process, on all of its threads. */
function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Options of {@link serveOperations}. */
export interface OperationsOptions {
  /** The number of operations that run at the same time. Default: 1. */
  readonly atOnce?: number;
  /** Ends what the program has started. */
  readonly close?: () => Promise<void>;
}

/**
 * Answers each number of operations with what one of them cost in this process. An operation returns false, at once or later, if it
 * did not do what it should: then the program ends with an error.
 */
export function serveOperations(
  operation: (index: number) => boolean | Promise<boolean>,
  { atOnce = 1, close = async () => undefined }: OperationsOptions = {},
): void {
  let index = 0;
  async function run(operations: number): Promise<Cost> {
    const end = index + operations;
    async function runNext(): Promise<void> {
      while (index < end) {
        const result = operation(index++);
        // An answer that is there at once must not wait for its turn.
        if (!(result instanceof Promise ? await result : result)) throw new Error("An operation failed.");
      }
    }
    const [cpuBefore, wallBefore] = [cpuMicroseconds(), performance.now()];
    await Promise.all(Array.from({ length: atOnce }, runNext));
    return {
      cpuMicroseconds: (cpuMicroseconds() - cpuBefore) / operations,
      wallMicroseconds: ((performance.now() - wallBefore) * 1000) / operations,
    };
  }
  process.on("message", (operations: number) => void run(operations).then(send));
  process.once("disconnect", () => void close().then(() => process.exit()));
  send("ready");
}

/** Listens on a free port of the loopback, tells it, and answers each question with the CPU time that was used until then. */
export function serveHttp(listener: RequestListener | Server): void {
  const server = typeof listener === "function" ? createServer(listener) : listener;
  server.listen(0, "127.0.0.1", () => send((server.address() as AddressInfo).port));
  process.on("message", (question) => question === usageQuestion && send(cpuMicroseconds()));
  process.once("disconnect", () => process.exit());
}
