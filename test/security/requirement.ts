/** What the kit does about a requirement. */
export type Verdict = "met" | "partly met" | "the app's" | "the service's" | "does not apply" | "not met";

/** A test that shows something, by its title in its file. */
export interface ShownBy {
  readonly file: string;
  readonly title: string;
}

/** Where a requirement is fulfilled, and what shows it. */
export interface Evidence {
  /** Source files below `packages/core/src`, or documents of the repository. */
  readonly places: readonly string[];
  readonly tests: readonly ShownBy[];
}

/** A requirement of a standard, in our words. */
export interface Requirement extends Evidence {
  /** The number that the standard gives it, or the section and a letter of ours. A range stands for all its numbers. */
  readonly id: string;
  /** The level of ASVS, or the verb of NIST. */
  readonly level: string;
  readonly text: string;
  readonly verdict: Verdict;
  /** What a reader must know beside the verdict. Required unless the requirement is met. */
  readonly reason?: string;
}

/** What a requirement asks: its number, its level, and its text. */
type Ask = readonly [id: string, level: string, text: string];

/** A requirement that the kit fulfils by itself, with its defaults. The reason is a limit worth knowing. */
export function met(ask: Ask, evidence: Evidence, reason?: string): Requirement {
  return { ...named(ask), ...evidence, verdict: "met", ...(reason !== undefined && { reason }) };
}

/** A requirement of which the kit fulfils a part. The reason says which part is missing. */
export function partlyMet(ask: Ask, evidence: Evidence, reason: string): Requirement {
  return { ...named(ask), ...evidence, verdict: "partly met", reason };
}

/** A requirement that only the app can fulfil. The evidence is what the kit gives it for that. */
export function forTheApp(ask: Ask, reason: string, evidence: Evidence = none): Requirement {
  return { ...named(ask), ...evidence, verdict: "the app's", reason };
}

/** A requirement that only the service, the network or the phone can fulfil. */
export function forTheService(ask: Ask, reason: string): Requirement {
  return { ...named(ask), ...none, verdict: "the service's", reason };
}

/** A requirement about something that the kit does not have. */
export function doesNotApply(ask: Ask, reason: string, evidence: Evidence = none): Requirement {
  return { ...named(ask), ...evidence, verdict: "does not apply", reason };
}

/** A requirement that the kit does not fulfil. The evidence is what stands in its place. */
export function notMet(ask: Ask, reason: string, evidence: Evidence = none): Requirement {
  return { ...named(ask), ...evidence, verdict: "not met", reason };
}

const none: Evidence = { places: [], tests: [] };

function named([id, level, text]: Ask): Pick<Requirement, "id" | "level" | "text"> {
  return { id, level, text };
}

/** Returns a function that names tests of one file by their titles. */
export function testsOf(file: string): (...titles: readonly string[]) => readonly ShownBy[] {
  return (...titles) => titles.map((title) => ({ file, title }));
}
