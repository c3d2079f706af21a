import { DoorcodeError } from "../util/errors.ts";
import type { CeilingState } from "./ceilings.ts";
import { type GroupKind, isBlock } from "./groups.ts";
import type { AllowedCode, Kept, RefusedCode } from "./limited-code.ts";
import { isEnforced } from "./login-limits.ts";
import type { ReservedCode, SendLimitsParts } from "./reserved-code.ts";
import type { SendBudgetStates } from "./send-budgets.ts";
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
export interface BudgetsOfCode extends SendBudgetStates {
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
  const counters = [countOfNumber(budgets), ...countGroups(groups, onAlert, usual)];
  const undo = (kept?: Kept) => takeBackCode(parts, reserved, kept);
  const refused = refusalOf(budgets, reserved.ceiling);
  if (refused) {
    const { limit, refusal } = refused;
    return { refusal, refusedBy: { limit }, decision: decisionOf(reserved, "refused", { limit }), counters, undo };
  }
  // What an app hears of a known number, a stranger could hear from the app's answer: that the number has an account.
  const isExempt = isAsked ? counted.knownDevice !== undefined : counted.known;
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
      // A start that the app has challenged or denied says nothing about its block, and a code that is sent again is no start.
      const closes = !state.isClosed && !reserved.isAgain && !(kept === "client" && isBlock(group.rule.kind));
      await takeBackCode(parts, reserved, kept, closes ? group : undefined);
      if (closes) await parts.closedGroups.close(group, reserved.client, seconds);
    },
  };
}

/** Returns what refuses a code whatever the app says: a budget of its number, or a ceiling of the app. */
export function refusalOf(
  { refusal }: SendBudgetStates,
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
    counted: { country, knownDevice, knownNumber },
    onAlert,
    appOnAlert,
  }: Pick<ReservedCode, "counted" | "onAlert" | "appOnAlert">,
  outcome: SendDecision["outcome"],
  about?: LimitCount,
): SendDecision {
  return {
    type: "login.send_decided",
    outcome,
    country,
    onAlert,
    appOnAlert,
    knownNumber,
    knownDevice: knownDevice !== undefined,
    ...about,
  };
}

/** Returns the codes of a day to a number, and what they may be. */
export function countOfNumber({ count, threshold }: SendBudgetStates): LimitCount {
  return { limit: "number", count, threshold };
}

function countOf({ group, over }: GroupRefusal): LimitCount {
  const limit = group.rule.kind;
  // Rounded down: a count that was too high must not look as if it had only reached the threshold.
  return over ? { limit, count: over.count, threshold: Math.floor(over.threshold * 10) / 10 } : { limit };
}
