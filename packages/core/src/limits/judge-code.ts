import { DoorcodeError } from "../primitives/errors.ts";
import type { BudgetStates } from "./budgets.ts";
import type { CeilingState } from "./ceilings.ts";
import type { CountedLogin } from "./counted-login.ts";
import { type GroupKind, isBlock } from "./groups.ts";
import type { AllowedCode, Kept, RefusedCode } from "./limited-code.ts";
import { isEnforced } from "./login-limits.ts";
import type { ReservedCode, SendLimitsParts } from "./reserved-code.ts";
import {
  countGroups,
  type FoundGroup,
  findRefusals,
  type GroupRefusal,
  type LimitCount,
  lengthOfClosing,
  type SendDecision,
} from "./send-decision.ts";
import { takeBackCode } from "./take-back-code.ts";

/** What the budgets of a code say. */
export interface BudgetsOfCode extends BudgetStates {
  /** The codes of today, with this one. */
  readonly sendsToday: number;
  /** The wrong codes in a row. */
  readonly failures: number;
}

/** Decides whether a code may be sent that has reserved everything: its budgets and ceilings first, then its groups. */
export function judgeCode(
  parts: SendLimitsParts,
  reserved: ReservedCode,
  budgets: BudgetsOfCode,
  groups: readonly FoundGroup[],
): AllowedCode | RefusedCode {
  const { limits, totals } = parts;
  const { onAlert, counted, isAsked } = reserved;
  const usual = (kind: GroupKind) => totals.usualOf(counted.country, kind);
  const counters = [countOfNumber(parts, budgets.sendsToday, counted), ...countGroups(groups, onAlert, usual)];
  const undo = (kept?: Kept) => takeBackCode(parts, reserved, kept);
  const refused = refusalOf(budgets, reserved.ceiling);
  if (refused) {
    const { limit, refusal } = refused;
    return { refusal, refusedBy: { limit }, decision: decisionOf(reserved, "refused", { limit }), counters, undo };
  }
  // What an app hears of a known number, a stranger could hear from the app's answer: that the number has an account.
  const isExempt = isAsked ? counted.device !== undefined : counted.known;
  const refusals = isExempt ? [] : findRefusals(groups, onAlert, usual);
  const enforced = firstToRefuse(refusals.filter(({ group }) => isEnforced(limits, group.rule.kind)));
  const [first] = refusals;
  const allowed: AllowedCode = {
    counted,
    counters,
    decision: decisionOf(reserved, first ? "would_refuse" : "allowed", first && countOf(first)),
    failures: budgets.failures,
    cooldownSeconds: budgets.pauseSeconds,
    giveBack: undo,
  };
  return enforced ? refuse(parts, reserved, enforced, allowed) : allowed;
}

function refuse(
  parts: SendLimitsParts,
  reserved: ReservedCode,
  refusal: GroupRefusal,
  trusted: AllowedCode,
): RefusedCode {
  const { group, state } = refusal;
  const seconds = state.isClosed ? state.secondsLeft : lengthOfClosing(state, reserved.onAlert);
  const refusedBy = countOf(refusal);
  return {
    refusal: new DoorcodeError(group.rule.refusal, { retryAfterSeconds: seconds }),
    refusedBy,
    decision: decisionOf(reserved, "refused", refusedBy),
    counters: trusted.counters,
    trusted,
    async undo(kept) {
      // A start that the app has challenged or denied says nothing about its block.
      const closes = !state.isClosed && !(kept === "client" && isBlock(group.rule.kind));
      await takeBackCode(parts, reserved, kept, closes ? group : undefined);
      if (closes) await parts.closedGroups.close(group, reserved.client, seconds);
    },
  };
}

/** Returns what refuses a code whatever the app says: a budget of its number, or a ceiling of the app. */
export function refusalOf(
  { refusal }: BudgetStates,
  { refused }: CeilingState,
): { readonly limit: LimitCount["limit"]; readonly refusal: DoorcodeError } | undefined {
  return refusal ? { limit: "number", refusal } : refused;
}

/** Returns the group that refuses: one of the client, else a block. A client that is refused anyway must not close blocks of numbers. */
function firstToRefuse(refusals: readonly GroupRefusal[]): GroupRefusal | undefined {
  const isOfClient = ({ group }: GroupRefusal) => !isBlock(group.rule.kind);
  return refusals.find(isOfClient) ?? refusals[0];
}

/** Describes the decision about a code. */
export function decisionOf(
  {
    counted: { country, device, knownNumber },
    onAlert,
    appOnAlert,
  }: Pick<ReservedCode, "counted" | "onAlert" | "appOnAlert">,
  outcome: SendDecision["outcome"],
  about?: LimitCount,
): SendDecision {
  const knownDevice = device !== undefined;
  return { type: "login.send_decided", outcome, country, onAlert, appOnAlert, knownNumber, knownDevice, ...about };
}

/** Returns the codes of today to a number, and what they may be. */
export function countOfNumber({ limits }: SendLimitsParts, count: number, { device }: CountedLogin): LimitCount {
  const threshold = device === undefined ? limits.sendsPerPhonePerDay : limits.sendsPerDevicePerDay;
  return { limit: "number", count, threshold };
}

function countOf({ group, over }: GroupRefusal): LimitCount {
  const limit = group.rule.kind;
  // Rounded down: a count that was too high must not look as if it had only reached the threshold.
  return over ? { limit, count: over.count, threshold: Math.floor(over.threshold * 10) / 10 } : { limit };
}
