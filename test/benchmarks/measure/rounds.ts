import { createRandom, shuffled } from "./statistics.ts";
import type { Cost, Subject } from "./subject.ts";

/** The size of a measurement. */
export interface Size {
  readonly rounds: number;
  /** The CPU time of each subject before it is measured, until the compiler has seen it all. */
  readonly warmUpCpuMilliseconds: number;
  /** The CPU time of a sample. The number of operations follows from it. */
  readonly sampleCpuMilliseconds: number;
}

/** A subject with its cost in each round. */
export interface Measured {
  readonly subject: Subject;
  readonly costs: readonly Cost[];
}

/** The seed of the order in each round: a second run asks in the same order. */
const seed = 15;
const minOperations = 8;
const maxOperations = 1_000_000;

/** Measures the subjects in rounds. In each round every subject has its turn, in a new order, so that all see the same machine. */
export async function measureRounds(subjects: readonly Subject[], size: Size): Promise<readonly Measured[]> {
  const random = createRandom(seed);
  const measured = subjects.map((subject) => ({ subject, operations: minOperations, costs: [] as Cost[] }));
  for (const one of measured) one.operations = await warmUp(one.subject, size);
  for (let round = 0; round < size.rounds; round++) {
    for (const { subject, operations, costs } of shuffled(measured, random))
      costs.push(await subject.sample(operations));
  }
  return measured;
}

/** Runs a subject for a while, and returns the number of operations of a sample. */
async function warmUp(subject: Subject, { warmUpCpuMilliseconds, sampleCpuMilliseconds }: Size): Promise<number> {
  let operations = minOperations;
  let usedMicroseconds = 0;
  do {
    const { cpuMicroseconds } = await subject.sample(operations);
    usedMicroseconds += cpuMicroseconds * operations;
    const wanted = Math.round((sampleCpuMilliseconds * 1000) / cpuMicroseconds);
    // The first operations are the slowest ones: the number grows step by step.
    operations = Math.min(Math.max(wanted, minOperations), operations * 4, maxOperations);
  } while (usedMicroseconds < warmUpCpuMilliseconds * 1000);
  return operations;
}
