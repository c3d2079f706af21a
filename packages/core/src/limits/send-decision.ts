import type { GroupState } from "./group-counters.ts";
import type { Group, GroupKind } from "./groups.ts";

/** A decision about one code, for `onEvent`. It holds no number and no address. */
export interface SendDecision {
  readonly type: "login.send_decided";
  readonly outcome: "allowed" | "refused" | "would_refuse";
  readonly country: string;
  /** What refused, or would have refused. */
  readonly limit?: GroupKind | "number";
  /** The count that was compared, and what it may be, to a tenth; both are left out for what was closed before. */
  readonly count?: number;
  readonly threshold?: number;
  /** True while the country has far more unconfirmed logins than its past explains. */
  readonly onAlert: boolean;
  /** True for a number that was proven a day ago or longer. */
  readonly knownNumber: boolean;
  /** True for a device that has proven the number. */
  readonly knownDevice: boolean;
}

/** A group, and what the store has of it. */
export interface FoundGroup {
  readonly group: Group;
  readonly state: GroupState;
}

/** A group that refuses a login. */
export interface GroupRefusal extends FoundGroup {
  /** The count that was compared, and what it may be; `undefined` for a group that was closed before. */
  readonly count?: number;
  readonly threshold?: number;
}

const daySeconds = 86_400;
/** A closed group opens again after the first of these; one that is closed again within a week, after the next. */
const closingSeconds = [3600, 6 * 3600, daySeconds];
/** While it was closed before within a week, a group may have this part of its limits: it opens half. */
const afterClosing = 1 / 2;
const unconfirmedPerDailyLogin = 0.5;
const loginsPerDailyLogin = 5;
const loginsPerActiveBlock = 4;

/**
 * Returns the groups that refuse a login, in their order.
 *
 * @param loginsPerActive - returns how many people log in on a day in a group of this kind in which anybody does.
 */
export function findRefusals(
  groups: readonly FoundGroup[],
  onAlert: boolean,
  loginsPerActive: (kind: GroupKind) => number,
): readonly GroupRefusal[] {
  return groups.flatMap((found) => {
    const { state } = found;
    if (state.isClosed) return [found];
    const limits = limitsOf(found, onAlert, loginsPerActive);
    const { unconfirmed } = state;
    if (unconfirmed > limits.unconfirmed) return [{ ...found, count: unconfirmed, threshold: limits.unconfirmed }];
    const logins = state.loginsToday + 1;
    return logins > limits.logins ? [{ ...found, count: logins, threshold: limits.logins }] : [];
  });
}

/** Returns what a group may have now: the more, the more people of it have logged in before. */
function limitsOf(
  { group: { rule }, state }: FoundGroup,
  onAlert: boolean,
  loginsPerActive: (kind: GroupKind) => number,
): { readonly unconfirmed: number; readonly logins: number } {
  const opening = state.closings > 0 ? afterClosing : 1;
  const unconfirmed = rule.unconfirmed * opening * (onAlert ? rule.onAlert : 1);
  return {
    unconfirmed: unconfirmed + unconfirmedPerDailyLogin * state.dailyLogins,
    logins: Math.max(
      (rule.confirmedPerDay ?? Number.POSITIVE_INFINITY) * opening,
      loginsPerDailyLogin * state.dailyLogins,
      loginsPerActiveBlock * loginsPerActive(rule.kind),
    ),
  };
}

/** Describes a refusal for the event. */
export function describeRefusal(refusal: GroupRefusal): Pick<SendDecision, "limit" | "count" | "threshold"> {
  const { group, count, threshold } = refusal;
  const limit = group.rule.kind;
  if (count === undefined || threshold === undefined) return { limit };
  // Rounded down: a count that was too high must not look as if it had only reached the threshold.
  return { limit, count, threshold: Math.floor(threshold * 10) / 10 };
}

/** Returns the time for which a group is closed that is over its limits. */
export function lengthOfClosing({ closings }: GroupState, onAlert: boolean): number {
  // An attack that raised the alert is not let in again after an hour.
  const index = closings + (onAlert ? 1 : 0);
  return closingSeconds[Math.min(index, closingSeconds.length - 1)] ?? daySeconds;
}
