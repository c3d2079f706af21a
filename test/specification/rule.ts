/** Where a test of the rule shows it: on the sandbox, which stands in for the service, on the kit, or on both. */
export type Place = "sandbox" | "kit";

/** A rule of the service's specification, in our words. */
export interface Rule<Id extends string = string> {
  /** Part, heading, and number or row. It never changes its meaning: a test is registered under it. */
  readonly id: Id;
  readonly text: string;
  readonly shownOn: readonly Place[];
  /** What else shows it: the tests of other rules, or of lines of docs/attacks.md. */
  readonly shownBy: Readonly<Partial<Record<Place, readonly string[]>>>;
  /** Why no test can show it, in one line. */
  readonly reason?: string;
}

/** A rule about what the service does. */
export function service<const Id extends string>(id: Id, text: string, by?: readonly string[]): Rule<Id> {
  return create(id, text, ["sandbox"], by && { sandbox: by });
}

/** A rule about what the customer's server or client does. */
export function customer<const Id extends string>(id: Id, text: string, by?: readonly string[]): Rule<Id> {
  return create(id, text, ["kit"], by && { kit: by });
}

/** A rule that both sides have a part in. */
export function both<const Id extends string>(id: Id, text: string, by?: Rule["shownBy"]): Rule<Id> {
  return create(id, text, ["sandbox", "kit"], by);
}

function create<Id extends string>(
  id: Id,
  text: string,
  places: readonly Place[],
  shownBy: Rule["shownBy"] = {},
): Rule<Id> {
  return { id, text, shownOn: places.filter((place) => !shownBy[place]), shownBy };
}

/** A rule that no test can show. */
export function cannotBeShown<const Id extends string>(id: Id, text: string, reason: string): Rule<Id> {
  return { id, text, shownOn: [], shownBy: {}, reason };
}
