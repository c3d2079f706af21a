import type { ErrorCode } from "../util/errors.ts";

/** What a group of logins has in common. Someone who sends many codes for money needs many logins of one group. */
export type GroupKind =
  /** Numbers that differ in their last four digits only. */
  | "block"
  /** Numbers that differ in their last six digits only. */
  | "wide_block"
  /** Requests from one address: an IPv4 address, or a /64 of IPv6. */
  | "address"
  /** Requests from one network: a /24 of IPv4, or a /48 of IPv6. */
  | "network";

/** The limits of one kind of group. `npm run simulate` shows what they let through, and whom they refuse. */
export interface GroupRule {
  readonly kind: GroupKind;
  /** The refusal of a login in a group that is closed. */
  readonly refusal: ErrorCode;
  /** The balance of unconfirmed logins that a group without a past may have. */
  readonly unconfirmed: number;
  /** The factor on `unconfirmed` while the country is on alert. */
  readonly onAlert: number;
  /** So many times the unconfirmed logins that are usual in such a group are no reason to close it. */
  readonly timesUsual?: number;
  /** The logins a day that a group without a past may complete: fraudulent carriers confirm codes themselves. */
  readonly confirmedPerDay?: number;
  /** The time for which the balance is remembered. */
  readonly ttlSeconds: number;
}

const daySeconds = 86_400;

/** The rules, in the order in which they are looked at. */
export const groupRules: readonly GroupRule[] = [
  {
    kind: "block",
    refusal: "number_range_closed",
    unconfirmed: 6,
    onAlert: 1 / 3,
    confirmedPerDay: 12,
    ttlSeconds: 7 * daySeconds,
  },
  // A wide block holds many honest people. So an alert does not lower its limit, and an attack on the numbers of a whole
  // country closes none of them: there the blocks, addresses and networks refuse.
  {
    kind: "wide_block",
    refusal: "number_range_closed",
    unconfirmed: 20,
    onAlert: 1,
    timesUsual: 3,
    confirmedPerDay: 60,
    ttlSeconds: daySeconds,
  },
  // Addresses change hands, so they are remembered for a day.
  {
    kind: "address",
    refusal: "client_limit_reached",
    unconfirmed: 20,
    onAlert: 1 / 4,
    ttlSeconds: daySeconds,
  },
  {
    kind: "network",
    refusal: "client_limit_reached",
    unconfirmed: 60,
    onAlert: 1 / 3,
    ttlSeconds: daySeconds,
  },
];

/** One group, and its name in the store. */
export interface Group {
  readonly rule: GroupRule;
  readonly name: string;
}

/** The groups of a login. */
export interface GroupNames {
  /** The number in E.164. */
  readonly phone: string;
  /** The fingerprints of the client's address and network. Addresses do not stand in the store in plain text. */
  readonly address: string;
  readonly network: string;
}

/** Returns the groups of a login, in the order of {@link groupRules}. */
export function groupsOf({ phone, address, network }: GroupNames): readonly Group[] {
  const names: Readonly<Record<GroupKind, string>> = {
    block: phone.slice(0, -4),
    wide_block: phone.slice(0, -6),
    address,
    network,
  };
  return groupRules.map((rule) => ({ rule, name: names[rule.kind] }));
}

/** Returns the blocks of a number, without the groups of a client. */
export function blocksOf(phone: string): readonly Group[] {
  return groupsOf({ phone, address: "", network: "" }).filter(({ rule }) => isBlock(rule.kind));
}

/** Tells whether a group is one of numbers. The others are groups of clients. */
export function isBlock(kind: GroupKind): boolean {
  return kind === "block" || kind === "wide_block";
}
