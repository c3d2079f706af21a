/** A mutant that no test can kill, or that none needs to: it is not counted. */
export interface JudgedMutant {
  /** The file below `packages/core/src`. */
  readonly file: string;
  /** The line, without its indentation. */
  readonly line: string;
  /** The code and what it becomes, as `npm run mutate` prints them. */
  readonly change: string;
  /** The reason: what stays the same for everyone outside. */
  readonly why: string;
}

/** The mutants that survived and were judged one by one. The texts of messages are left out by `texts.ts`. */
export const judged: readonly JudgedMutant[] = [];
