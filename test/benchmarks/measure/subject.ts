/** The cost of one operation. */
export interface Cost {
  /** CPU time of the measured process, in user and system mode, on all of its threads. */
  readonly cpuMicroseconds: number;
  /** Time on the clock. On a machine with other work it says little. */
  readonly wallMicroseconds: number;
}

/**
 * The part of a subject in a comparison: the bare program that does no more than the promise needs, the same program once more, which
 * shows the noise, the kit, the kit of another checkout, another library, or another bare program.
 */
export type Role = "limit" | "noise" | "doorcode" | "before" | "peer" | "reference";

/**
 * Starts a subject. With the root of another checkout, that one's program runs on that one's packages: it must have been built there.
 */
export type StartSubject = (checkout?: string) => Promise<Subject>;

/** A program that is measured, in a process of its own. */
export interface Subject {
  /** The name in the table, the same in every group. */
  readonly name: string;
  readonly role: Role;
  /** Runs so many operations and returns what one has cost. Rejects if an operation does not do what it should. */
  sample(operations: number): Promise<Cost>;
  /** Ends the process. */
  close(): Promise<void>;
}
