import { startChild } from "./child.ts";
import type { Cost, Role, Subject } from "./subject.ts";

/** A program whose operations are functions of its own process. */
export interface OperationsProgram {
  readonly name: string;
  readonly role: Role;
  /** The file below `test/benchmarks`. It calls `serveOperations`. */
  readonly program: string;
  readonly words: readonly string[];
  /** The root of another checkout. */
  readonly checkout?: string | undefined;
}

/** Starts a program that counts its own cost. */
export async function startOperations(operations: OperationsProgram): Promise<Subject> {
  const { name, role, program, words, checkout } = operations;
  const child = await startChild(program, words, checkout);
  return {
    name,
    role,
    sample: async (count) => (await child.ask(count)) as Cost,
    close: () => child.close(),
  };
}
