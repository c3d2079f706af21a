import type { CounterState } from "../store/store.ts";
import { type Answered, type Budget, withStates } from "./budgets.ts";
import type { CountedLogin, KnownDevice } from "./counted-login.ts";
import type { Group, GroupKind } from "./groups.ts";
import type { LoginLimits } from "./login-limits.ts";

/** Who has codes and failures of a number: strangers, the device that has proven the number last, or the other known devices. */
export type NumberOwner = "number" | KnownDevice;

/** A ceiling of the whole app. */
export type CeilingKind = "sends_per_hour" | "sends_per_day" | "cost_per_day";

/** What is counted for a country: unconfirmed logins, people who have logged in, and the blocks in which somebody has. */
export type Total = "unconfirmed" | "logins" | "blocks" | "wideBlocks";

/** The periods of what is counted by days and weeks. */
export const periods = ["today", "yesterday", "thisWeek", "lastWeek"] as const;

/** A day or a week, in UTC. Weeks begin on Thursdays, as 1970 did. */
export type Period = (typeof periods)[number];

/** The name of a counter: the owner, and what is counted. */
export type CounterName =
  | `${NumberOwner}.${"window" | "failures" | "failuresGate" | `part${number}` | `pause${number}`}`
  | `proven.${"first" | "last" | "verified"}`
  | `device.${"newestPlace" | "place"}`
  | `${GroupKind}.${"unconfirmed" | "closed" | "timesClosed" | Period}`
  | `${"number" | GroupKind}.undelivered`
  | `address.${"failures" | "failuresOfDevices"}`
  | CeilingKind
  | `${"country" | "app"}.${Total}.${Period}`;

/** A row of the table: a counter, what is added to it, and what it may be. */
export interface Counter extends Budget {
  readonly name: CounterName;
  /** The number that a process reserves in advance, so that not every login waits for the same row of a database. */
  readonly inAdvance?: number;
  /** True for a counter that a process adds to later, for many logins together. */
  readonly later?: true;
}

/** The counters and their states in the store, by name. */
export type Answers = ReadonlyMap<CounterName, Answered<Counter>>;

/** Names the states that the store has returned. */
export function answersOf(counters: readonly Counter[], states: readonly CounterState[]): Answers {
  return new Map(withStates(counters, states).map((answered) => [answered.name, answered]));
}

/** Returns the count of a counter; 0 for a counter that was not read. */
export function countOf(answers: Answers, name: CounterName): number {
  return answers.get(name)?.count ?? 0;
}

/** The dependencies of the table. */
export interface CounterDeps {
  /** The prefix of the app's keys in the store. */
  readonly name: string;
  readonly limits: LoginLimits;
}

/** The owner of budgets. Strangers cannot use up the budgets of known devices. */
export interface BudgetOwner {
  /** The keyed digest of the canonical number, so that all spellings share one budget. */
  readonly phoneFingerprint: string;
  readonly knownDevice?: KnownDevice | undefined;
}

/** A request for a code. */
export interface CodeRequest {
  /** The instant, as Unix milliseconds. */
  readonly now: number;
  readonly phoneFingerprint: string;
  readonly country: string;
  /** The fingerprints of the client's address and network. */
  readonly address: string;
  readonly network: string;
  /** The digest of the device's id. */
  readonly device?: string | undefined;
  /** The groups of the login; none if they have already decided. */
  readonly groups: readonly Group[];
  /** The number that the code adds to its groups. */
  readonly added: 0 | 1;
  /** True to only read the budgets of the number. */
  readonly isTentative: boolean;
  /** The login, if it had a code before. */
  readonly login?: CountedLogin | undefined;
}

/** Returns the day and the week of an instant, counted from 1970, and how much of them is over, in days. */
export function periodsOf(now: number): Readonly<Record<"day" | "week" | "partOfDay" | "daysIntoWeek", number>> {
  const days = now / 1000 / 86_400;
  const [day, week] = [Math.floor(days), Math.floor(days / 7)];
  return { day, week, partOfDay: days - day, daysIntoWeek: days - 7 * week };
}
