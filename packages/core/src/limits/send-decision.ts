import type { CeilingKind } from "./ceilings.ts";
import type { GroupState } from "./group-counters.ts";
import type { Group, GroupKind } from "./groups.ts";

/** A decision about one code, for `onEvent`. It holds no number and no address. */
export interface SendDecision {
  readonly type: "login.send_decided";
  /**
   * `would_refuse` was let pass by a limit that observes. `trusted`, `challenged` and `suppressed` are answers of the app's
   * `beforeSend`: the code was sent against a limit, asked for a challenge, or was not sent without saying so.
   */
  readonly outcome: "allowed" | "refused" | "would_refuse" | "trusted" | "challenged" | "suppressed";
  readonly country: string;
  /** What refused, or would have refused; `app` for the app's `beforeSend`. */
  readonly limit?: GroupKind | CeilingKind | "number" | "app";
  /** The count that was compared, and what it may be, to a tenth; both are left out for what was closed before. */
  readonly count?: number;
  readonly threshold?: number;
  /** True while the country has far more unconfirmed logins than its past explains. */
  readonly onAlert: boolean;
  /** True while the app as a whole has. That refuses nothing by itself. */
  readonly appOnAlert: boolean;
  /** True for a number that was proven a day ago or longer. */
  readonly knownNumber: boolean;
  /** True for a device that has proven the number. */
  readonly knownDevice: boolean;
}

/** A counter that decides about a code. */
export interface LimitCount {
  /** The codes of today for the number, or the unconfirmed logins of a group; this one is included. */
  readonly limit: GroupKind | CeilingKind | "number";
  /** The count and what it may be; left out for a group that is closed. */
  readonly count?: number;
  readonly threshold?: number;
}

/** A group, and what the store has of it. */
export interface FoundGroup {
  readonly group: Group;
  readonly state: GroupState;
}

/** A group that refuses a login. */
export interface GroupRefusal extends FoundGroup {
  /** The count that was compared, and what it may be; `undefined` for a group that was closed before. */
  readonly over?: { readonly count: number; readonly threshold: number };
}

/** What is usual in a group, by the groups of its kind in which anybody logs in. */
export interface UsualGroup {
  /** People who log in on a day, by the past. */
  readonly loginsPerActive: number;
  /** People who have logged in today. */
  readonly loginsPerActiveToday: number;
  /** Unconfirmed logins of about a day. */
  readonly unconfirmedPerActive: number;
}

const daySeconds = 86_400;
/** A closed group opens again after the first of these; one that is closed again within a week, after the next. */
const closingSeconds = [3600, 6 * 3600, daySeconds];
/** While it was closed before within a week, a group may have this part of its limits: it opens half. */
const afterClosing = 1 / 2;
const unconfirmedPerDailyLogin = 0.5;
const loginsPerDailyLogin = 5;
const timesLoginsPerActive = 4;
/** A peak fills all blocks of a country alike. An attack fills a few, of which the average shows little. */
const timesLoginsPerActiveToday = 1.5;

/**
 * Returns the groups that refuse a login, in their order.
 *
 * @param usual - returns what is usual in the groups of a kind, in the same country.
 */
export function findRefusals(
  groups: readonly FoundGroup[],
  onAlert: boolean,
  usual: (kind: GroupKind) => UsualGroup,
): readonly GroupRefusal[] {
  return groups.flatMap((found) => {
    const { state } = found;
    if (state.isClosed) return [found];
    const limits = limitsOf(found, onAlert, usual);
    const { unconfirmed } = state;
    if (unconfirmed > limits.unconfirmed) {
      return [{ ...found, over: { count: unconfirmed, threshold: limits.unconfirmed } }];
    }
    const logins = state.loginsToday + 1;
    return logins > limits.logins ? [{ ...found, over: { count: logins, threshold: limits.logins } }] : [];
  });
}

/** Returns the unconfirmed logins of groups, and what they may be. */
export function countGroups(
  groups: readonly FoundGroup[],
  onAlert: boolean,
  usual: (kind: GroupKind) => UsualGroup,
): readonly LimitCount[] {
  return groups.map((found) => {
    const limit = found.group.rule.kind;
    if (found.state.isClosed) return { limit };
    const { unconfirmed } = limitsOf(found, onAlert, usual);
    return { limit, count: found.state.unconfirmed, threshold: unconfirmed };
  });
}

/** Returns what a group may have now: the more, the more people of it have logged in before. */
function limitsOf(
  { group: { rule }, state }: FoundGroup,
  onAlert: boolean,
  usual: (kind: GroupKind) => UsualGroup,
): { readonly unconfirmed: number; readonly logins: number } {
  const opening = state.closings > 0 ? afterClosing : 1;
  const unconfirmed = rule.unconfirmed * opening * (onAlert ? rule.onAlert : 1);
  const { loginsPerActive, loginsPerActiveToday, unconfirmedPerActive } = usual(rule.kind);
  return {
    unconfirmed: Math.max(
      unconfirmed + unconfirmedPerDailyLogin * state.dailyLogins,
      (rule.timesUsual ?? 0) * unconfirmedPerActive,
    ),
    logins: Math.max(
      (rule.confirmedPerDay ?? Number.POSITIVE_INFINITY) * opening,
      // Without today: an attacker who confirms codes must not raise the limit that they are compared with.
      loginsPerDailyLogin * state.dailyLoginsBefore,
      timesLoginsPerActive * loginsPerActive,
      timesLoginsPerActiveToday * loginsPerActiveToday,
    ),
  };
}

/** Returns the time for which a group is closed that is over its limits. */
export function lengthOfClosing({ closings }: GroupState, onAlert: boolean): number {
  // An attack that raised the alert is not let in again after an hour.
  const index = closings + (onAlert ? 1 : 0);
  return closingSeconds[Math.min(index, closingSeconds.length - 1)] ?? daySeconds;
}
