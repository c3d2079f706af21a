import { z } from "zod";
import type { DoorcodeError, ErrorCode } from "../util/errors.ts";
import type { CeilingKind, Counter, KnownDevice } from "./counters.ts";
import type { GroupKind } from "./login-limits.ts";

/** A request for a code. */
export interface LimitRequest extends Pick<LimitFacts, "country" | "address" | "network" | "deviceDigest"> {
  /** The instant, as Unix milliseconds. */
  readonly now: number;
  readonly phoneFingerprint: string;
  /** The groups of the login; none if they have already decided. */
  readonly groups: readonly Group[];
  /** The number that the code adds to its groups. */
  readonly added: 0 | 1;
  /** 1 to reserve the code, and 0 to only read what it would meet. */
  readonly by: 0 | 1;
  /** True if the app's `beforeSend` decides too. */
  readonly asksApp: boolean;
  /** True if the app trusts the login against its groups. */
  readonly isTrusted: boolean;
  /** The login, if it had a code before. */
  readonly login?: LimitFacts | undefined;
}

/** A counter that decides about a code. */
export interface LimitCount {
  /** The codes of today for the number, or the unconfirmed logins of a group; this one is included. */
  readonly limit: GroupKind | CeilingKind | "number";
  /** The count and what it may be; both are left out for what was closed before. */
  readonly count?: number;
  readonly threshold?: number;
  /** What was counted, of a group that is over its limit: the logins that are not confirmed, or all of today. */
  readonly counted?: "unconfirmed" | "logins";
}

/** A decision about one code, for `onEvent`. It holds no number and no address. Its `threshold` is rounded down to a tenth. */
export interface SendDecision extends Partial<Pick<LimitCount, "count" | "threshold" | "counted">> {
  readonly type: "login.send_decided";
  /**
   * `would_refuse` was let pass by a limit that observes. `trusted`, `challenged` and `suppressed` are answers of the app's
   * `beforeSend`: the code was sent against a limit, asked for a challenge, or was not sent without saying so.
   */
  readonly outcome: "allowed" | "refused" | "would_refuse" | "trusted" | "challenged" | "suppressed";
  /** The ISO 3166 code of the number's country. */
  readonly country: string;
  /** What refused, or would have refused; `app` for the app's `beforeSend`. */
  readonly limit?: LimitCount["limit"] | "app";
  /** The error code of what the limit refused, or would have refused. */
  readonly code?: ErrorCode;
  /** The block, address or network that refused: a keyed digest that ties its events together and does not reveal it. */
  readonly group?: string;
  /** The time for which this decision closes the group. None if the group was closed before. */
  readonly closedForSeconds?: number;
  /** True while the country has far more unconfirmed logins than its past explains. */
  readonly onAlert: boolean;
  /** The same of the app as a whole, as in an attack on many countries. It refuses nothing by itself: challenge new devices. */
  readonly appOnAlert: boolean;
  /** True for a number that was proven a day ago or longer. */
  readonly knownNumber: boolean;
  /** True for a device that has proven the number. */
  readonly knownDevice: boolean;
}

/** A group of logins. */
export interface Group {
  readonly kind: GroupKind;
  /** Its name in keys: the beginning of a block's numbers, or the fingerprint of an address or a network. */
  readonly name: string;
  /** What an operator knows it by: the name of a block, or the address or the network itself. */
  readonly value: string;
}

/** What refuses a code. */
export interface Refused {
  /** The count that is over its limit, rounded for an event. */
  readonly limit: LimitCount;
  readonly error: DoorcodeError;
  /** The group that refuses. An app can trust a login against a group, never against a budget of the number or a ceiling. */
  readonly group?: Group;
  /** The time for which the group must be closed now. */
  readonly closeSeconds?: number;
}

/** The decision about a code. */
export interface Decision {
  /** What refuses the code; `undefined` for a code that may be sent. */
  readonly refused: Refused | undefined;
  /** The event, which the caller publishes. */
  readonly event: SendDecision;
  /** The counts of the number and of the groups, and what they may be. */
  readonly counters: readonly LimitCount[];
  readonly facts: LimitFacts;
  /** The number that the code adds to its groups. */
  readonly added: 0 | 1;
  /**
   * The wrong codes in a row, of the device if it has proven the number, else of the number. They decide the length of a login's codes;
   * 0 for a code that is sent again, because its login has its length.
   */
  readonly failures: number;
  /** The time until another code may be sent to the number. */
  readonly cooldownSeconds: number;
  /** What the code has added to counters. Give it back if the code is not sent. */
  readonly granted: readonly Counter[];
  /** What it has added to closed groups. Give it back also if the code is sent: a closed group opens with a balance of zero. */
  readonly addedToClosed: readonly Counter[];
}

/** The facts about a login that the limits need again when it is confirmed. They are stored with its newest code. */
export interface LimitFacts {
  /** The ISO 3166 code of the number's country. */
  readonly country: string;
  /** The fingerprints of the client's address and network. */
  readonly address: string;
  readonly network: string;
  /** True for a number that was proven a day ago or longer. */
  readonly knownNumber: boolean;
  /** The device, if it has proven the number before: then its failures and codes are counted separately. */
  readonly knownDevice?: KnownDevice | undefined;
  /** True if no group limits the login, and it adds nothing to totals. */
  readonly isExempt: boolean;
  /** The number of codes that count in the groups: the first one, and each one after the second. */
  readonly added: number;
  /** True if the number was already proven within a day: a person counts once a day. */
  readonly provenToday: boolean;
  /** When the number was last proven, as Unix milliseconds; `undefined` if it never was, or longer ago than the kit remembers. */
  readonly lastProvenAt?: number | undefined;
  readonly deviceDigest?: string | undefined;
  /** The place of the device among those that have proven the number, and the place that was taken last. */
  readonly devicePlace: number;
  readonly newestPlace: number;
}

/** The shape of these facts in the store. */
export const limitFactsShape: z.ZodType<LimitFacts> = z.object({
  country: z.string(),
  address: z.string(),
  network: z.string(),
  knownNumber: z.boolean(),
  knownDevice: z.enum(["newest", "other"]).optional(),
  isExempt: z.boolean(),
  added: z.number(),
  provenToday: z.boolean(),
  lastProvenAt: z.number().optional(),
  deviceDigest: z.string().optional(),
  devicePlace: z.number(),
  newestPlace: z.number(),
});
