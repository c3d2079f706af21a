/** Where a test of the rule shows it: on the sandbox, which stands in for the service, on the kit, or on both. */
export type Place = "sandbox" | "kit";

/** A rule of the service's specification, in our words. */
export interface Rule<Id extends string = string> {
  /** Part, heading, and number or row. It never changes its meaning: a test is registered under it. */
  readonly id: Id;
  readonly text: string;
  readonly shownOn: readonly Place[];
  /** The line of docs/attacks.md whose tests show it on the kit. */
  readonly line?: string;
  /** Why no test can show it, in one line. */
  readonly reason?: string;
}

/** A rule about what the service does. */
export function service<const Id extends string>(id: Id, text: string): Rule<Id> {
  return { id, text, shownOn: ["sandbox"] };
}

/** A rule about what the customer's server or client does. With a line, the tests of the line show it. */
export function customer<const Id extends string>(id: Id, text: string, line?: string): Rule<Id> {
  return line === undefined ? { id, text, shownOn: ["kit"] } : { id, text, shownOn: [], line };
}

/** A rule that both sides have a part in. With a line, the tests of the line show the kit's. */
export function both<const Id extends string>(id: Id, text: string, line?: string): Rule<Id> {
  return line === undefined ? { id, text, shownOn: ["sandbox", "kit"] } : { id, text, shownOn: ["sandbox"], line };
}

/** A rule that no test can show. */
export function cannotBeShown<const Id extends string>(id: Id, text: string, reason: string): Rule<Id> {
  return { id, text, shownOn: [], reason };
}
