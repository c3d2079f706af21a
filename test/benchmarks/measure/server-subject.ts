import { type Child, startChild } from "./child.ts";
import { usageQuestion } from "./program.ts";
import type { Cost, Role, Subject } from "./subject.ts";

/** A program that serves HTTP, and the load on it. */
export interface ServerProgram {
  readonly name: string;
  readonly role: Role;
  /** The file below `test/benchmarks`. It calls `serveHttp`. */
  readonly program: string;
  readonly words?: readonly string[];
  /** The root of another checkout. */
  readonly checkout?: string | undefined;
  /** Prepares so many operations, and returns what does them. Only the latter is measured. */
  prepare(port: number, operations: number): Promise<() => Promise<void>>;
}

/** Starts a server, whose cost is counted in its process while the load comes from this one. */
export async function startServer(server: ServerProgram): Promise<Subject> {
  const { name, role, program, words, checkout, prepare } = server;
  const child = await startChild(program, words, checkout);
  const port = child.hello as number;
  return {
    name,
    role,
    async sample(operations): Promise<Cost> {
      const run = await prepare(port, operations);
      const [cpuBefore, wallBefore] = [await usageOf(child), performance.now()];
      await run();
      const wallMilliseconds = performance.now() - wallBefore;
      const cpuMicroseconds = ((await usageOf(child)) - cpuBefore) / operations;
      return { cpuMicroseconds, wallMicroseconds: (wallMilliseconds * 1000) / operations };
    },
    close: () => child.close(),
  };
}

async function usageOf(child: Child): Promise<number> {
  return (await child.ask(usageQuestion)) as number;
}
