/** Where a rule is shown: on the sandbox, which stands in for the service, on the kit, or on both. */
export type Place = "sandbox" | "kit";

/** A rule of the service's specification, in our words. */
export interface Rule<Id extends string = string> {
  /** Part, heading, and number or row. It never changes its meaning: a test is registered under it. */
  readonly id: Id;
  readonly text: string;
  /** Empty for a rule that no test can show. */
  readonly shownOn: readonly Place[];
  /** Why no test can show it, in one line. */
  readonly reason?: string;
}

/** A rule about what the service does. */
export function service<const Id extends string>(id: Id, text: string): Rule<Id> {
  return { id, text, shownOn: ["sandbox"] };
}

/** A rule about what the customer's server or client does. */
export function customer<const Id extends string>(id: Id, text: string): Rule<Id> {
  return { id, text, shownOn: ["kit"] };
}

/** A rule that both sides have a part in. */
export function both<const Id extends string>(id: Id, text: string): Rule<Id> {
  return { id, text, shownOn: ["sandbox", "kit"] };
}

/** A rule that no test can show. */
export function cannotBeShown<const Id extends string>(id: Id, text: string, reason: string): Rule<Id> {
  return { id, text, shownOn: [], reason };
}
