import { startChild } from "./child.ts";
import type { Cost, Role, Subject } from "./subject.ts";

/** A program whose operations are functions of its own process. */
export interface OperationsProgram {
  readonly name: string;
  readonly role: Role;
  /** The file below `test/benchmarks`. It calls `serveOperations`. */
  readonly program: string;
  readonly words: readonly string[];
}

/** Starts a program that counts its own cost. */
export async function startOperations({ name, role, program, words }: OperationsProgram): Promise<Subject> {
  const child = await startChild(program, words);
  return {
    name,
    role,
    sample: async (operations) => (await child.ask(operations)) as Cost,
    close: () => child.close(),
  };
}
