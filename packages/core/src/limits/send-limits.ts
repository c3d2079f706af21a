import type { Clock } from "../primitives/clock.ts";
import { DoorcodeError } from "../primitives/errors.ts";
import type { CodeKeys } from "../primitives/keys.ts";
import type { PhoneNumber } from "../primitives/phone-number.ts";
import type { Store } from "../store/store.ts";
import { type Budget, type BudgetStates, budgetQuery, giveBack, givenBack, sendBudgets } from "./budgets.ts";
import { type CeilingState, createCeilings } from "./ceilings.ts";
import { createClosedGroups } from "./closed-groups.ts";
import { type CountedLogin, countConfirmed, countUndelivered } from "./counted-login.ts";
import { createCountryTotals } from "./country-totals.ts";
import { failuresQuery } from "./failures.ts";
import { balanceChanges, groupQuery } from "./group-counters.ts";
import { type Group, type GroupKind, groupsOf, isBlock } from "./groups.ts";
import type { AllowedCode, Kept, LimitedLogin, RefusedCode } from "./limited-code.ts";
import { isEnforced, type LoginLimits } from "./login-limits.ts";
import { periodsOf } from "./periods.ts";
import { deviceQuery, isKnownNumber, lastProvenAtOf, numberPastQuery, wasProvenToday } from "./proven-numbers.ts";
import { askTogether, type CounterQuery } from "./query.ts";
import {
  countGroups,
  type FoundGroup,
  findRefusals,
  type GroupRefusal,
  type LimitCount,
  lengthOfClosing,
  type SendDecision,
} from "./send-decision.ts";

/** The limits of codes that are sent. Every code of the kit passes them before it is sent. */
export interface SendLimits {
  /**
   * Reserves a code for a login, in one call of the store. The refusals are `cooldown`, `send_limit_reached`,
   * `number_range_closed`, `client_limit_reached`, and those of the app's ceilings. Let a refused login undo what it has added.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  reserve(login: LimitedLogin): Promise<AllowedCode | RefusedCode>;
  /**
   * Reserves another code for a login that was counted. Sending again is no second suspicion, so only the number's own budgets
   * and the ceilings decide.
   *
   * @param isTentative - true to only look at the budgets.
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  reserveAgain(phone: string, counted: CountedLogin, isTentative?: boolean): Promise<AllowedCode | RefusedCode>;
  /**
   * Counts a login as confirmed, by the device with this digest. Without a device nothing is remembered of the number: the app
   * has refused the login.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  countConfirmed(phone: string, counted: CountedLogin, device: string | undefined): Promise<void>;
  /**
   * Takes a login off its blocks and its country, because the service could not deliver its code: nobody could have entered it. Its
   * address and network are unknown then, and keep it. It does so once a day for a number, because codes that are sent again were
   * not counted, and as often as a block may have unconfirmed logins: a carrier may report failures of texts that it is paid for.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  countUndelivered(number: PhoneNumber): Promise<void>;
}

/** The dependencies of the limits. */
export interface SendLimitsDeps {
  /** The prefix of the app's keys in the store. */
  readonly name: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: Pick<CodeKeys, "fingerprint">;
  readonly limits: LoginLimits;
}

/** What a code has reserved, and what decides about it. */
interface Reserved {
  readonly phone: string;
  readonly client: LimitedLogin["client"];
  readonly counted: CountedLogin;
  /** Whether the app's `beforeSend` decides too. */
  readonly isAsked: boolean;
  readonly onAlert: boolean;
  /** The shares that were granted. */
  readonly granted: readonly Budget[];
  readonly ceiling: CeilingState;
}

/** Creates the limits of an app. */
export function createSendLimits(deps: SendLimitsDeps): SendLimits {
  const { name, store, clock, keys, limits } = deps;
  const prefix = `${name}:limits`;
  const totals = createCountryTotals({ prefix, clock });
  const ceilings = createCeilings({ prefix, clock, limits });
  const closedGroups = createClosedGroups(store, prefix);
  const isOnAlert = (country: string) => isEnforced(limits, "country") && totals.isOnAlert(country);

  async function reserve(login: LimitedLogin): Promise<AllowedCode | RefusedCode> {
    const { phone, country, client, device, isTentative = false } = login;
    const phoneFingerprint = keys.fingerprint(phone);
    const names = { phone, address: keys.fingerprint(client.address), network: keys.fingerprint(client.network) };
    const groups = groupsOf(names);
    const periods = periodsOf(clock.now());
    const by = isTentative ? 0 : 1;
    const [ofNumber, ofDevice, { isKnown }, past, failures, failuresOfDevice, ceiling, , ...states] = await askTogether(
      store,
      [
        budgetQuery(sendBudgets(deps, { phoneFingerprint }), by),
        // A device that is not known gets budgets too, because only the store knows which one is. Nothing looks at them.
        device === undefined ? noBudgets : budgetQuery(sendBudgets(deps, { phoneFingerprint, device }), by),
        device === undefined ? noDevice : deviceQuery(prefix, phoneFingerprint, device, 0),
        numberPastQuery(prefix, phoneFingerprint, 0),
        failuresQuery(deps, { phoneFingerprint }),
        device === undefined ? noFailures : failuresQuery(deps, { phoneFingerprint, device }),
        isTentative ? noCeiling : ceilings.query(country),
        totals.shareQuery(country),
        ...groups.map((group) => groupQuery(prefix, group, periods, 1)),
      ],
    );
    const knownNumber = isKnownNumber(past, ofNumber.count + 1 - by);
    const { address, network } = names;
    const known = isKnown || knownNumber;
    if (!known) totals.add(country, { unconfirmed: 1 });
    const lastProvenAt = lastProvenAtOf(past, clock.now());
    const counted = { country, address, network, known, knownNumber, provenToday: wasProvenToday(past), lastProvenAt };
    const reserved: Reserved = {
      phone,
      client,
      counted: isKnown ? { ...counted, device } : counted,
      isAsked: isTentative,
      onAlert: isOnAlert(country),
      granted: [...ofNumber.granted, ...ofDevice.granted],
      ceiling,
    };
    const found = groups.flatMap((group, index) => (states[index] ? [{ group, state: states[index] }] : []));
    const budgets = isKnown ? ofDevice : ofNumber;
    const sendsToday = budgets.count + 1 - by;
    return judge(reserved, { ...budgets, sendsToday, failures: isKnown ? failuresOfDevice : failures }, found);
  }

  function judge(
    reserved: Reserved,
    budgets: BudgetStates & { readonly sendsToday: number; readonly failures: number },
    groups: readonly FoundGroup[],
  ): AllowedCode | RefusedCode {
    const { onAlert, counted, isAsked } = reserved;
    const usual = (kind: GroupKind) => totals.usualOf(counted.country, kind);
    const counters = [countOfNumber(budgets.sendsToday, counted), ...countGroups(groups, onAlert, usual)];
    const undo = (kept?: Kept) => takeBack(reserved, kept);
    const refused = refusalOf(budgets, reserved.ceiling);
    if (refused) {
      const { limit, refusal } = refused;
      return { refusal, refusedBy: { limit }, decision: describe(reserved, "refused", { limit }), counters, undo };
    }
    // What an app hears of a known number, a stranger could hear from the app's answer: that the number has an account.
    const isExempt = isAsked ? counted.device !== undefined : counted.known;
    const refusals = isExempt ? [] : findRefusals(groups, onAlert, usual);
    const enforced = firstToRefuse(refusals.filter(({ group }) => isEnforced(limits, group.rule.kind)));
    const [first] = refusals;
    const allowed: AllowedCode = {
      counted,
      counters,
      decision: describe(reserved, first ? "would_refuse" : "allowed", first && countOf(first)),
      failures: budgets.failures,
      cooldownSeconds: budgets.pauseSeconds,
      giveBack: undo,
    };
    return enforced ? refuse(reserved, enforced, allowed) : allowed;
  }

  function refuse(reserved: Reserved, refusal: GroupRefusal, trusted: AllowedCode): RefusedCode {
    const { group, state } = refusal;
    const seconds = state.isClosed ? state.secondsLeft : lengthOfClosing(state, reserved.onAlert);
    const refusedBy = countOf(refusal);
    return {
      refusal: new DoorcodeError(group.rule.refusal, { retryAfterSeconds: seconds }),
      refusedBy,
      decision: describe(reserved, "refused", refusedBy),
      counters: trusted.counters,
      trusted,
      async undo(kept) {
        // A start that the app has challenged or denied says nothing about its block.
        const closes = !state.isClosed && !(kept === "client" && isBlock(group.rule.kind));
        await takeBack(reserved, kept, closes ? group : undefined);
        if (closes) await closedGroups.close(group, reserved.client, seconds);
      },
    };
  }

  async function reserveAgain(
    phone: string,
    counted: CountedLogin,
    isTentative = false,
  ): Promise<AllowedCode | RefusedCode> {
    const owner = { phoneFingerprint: keys.fingerprint(phone), device: counted.device };
    const by = isTentative ? 0 : 1;
    const [budgets, ceiling] = await askTogether(store, [
      budgetQuery(sendBudgets(deps, owner), by),
      isTentative ? noCeiling : ceilings.query(counted.country),
    ]);
    const { granted, pauseSeconds } = budgets;
    const about = { counted, onAlert: isOnAlert(counted.country) };
    const counters = [countOfNumber(budgets.count + 1 - by, counted)];
    const undo = () => {
      ceiling.giveBack();
      return giveBack(store, granted);
    };
    const refused = refusalOf(budgets, ceiling);
    if (refused) {
      const { limit, refusal } = refused;
      return { refusal, refusedBy: { limit }, decision: describe(about, "refused", { limit }), counters, undo };
    }
    return {
      counted,
      decision: describe(about, "allowed"),
      counters,
      failures: 0,
      cooldownSeconds: pauseSeconds,
      giveBack: undo,
    };
  }

  function countOfNumber(count: number, { device }: CountedLogin): LimitCount {
    const threshold = device === undefined ? limits.sendsPerPhonePerDay : limits.sendsPerDevicePerDay;
    return { limit: "number", count, threshold };
  }

  /** Takes back what a login has added, except to a group that is being closed, which begins anew. */
  async function takeBack(
    { phone, counted, granted, ceiling }: Reserved,
    kept: Kept = "nothing",
    closing?: Group | undefined,
  ): Promise<void> {
    if (!counted.known) totals.add(counted.country, { unconfirmed: -1 });
    ceiling.giveBack();
    // A known device is no stranger who could ask without end.
    const keepsClient = kept === "client" && counted.device === undefined;
    const groups = groupsOf({ ...counted, phone }).filter(
      ({ rule }) => rule !== closing?.rule && !(keepsClient && !isBlock(rule.kind)),
    );
    await store.increment([...granted.map(givenBack), ...balanceChanges(prefix, groups, -1)]);
  }

  return {
    reserve,
    reserveAgain,
    countUndelivered: (number) => countUndelivered({ ...deps, prefix, totals }, number),
    countConfirmed: (...login) => countConfirmed({ ...deps, prefix, totals }, ...login),
  };
}

/** Returns what refuses a code whatever the app says: a budget of its number, or a ceiling of the app. */
function refusalOf(
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

function describe(
  { counted: { country, device, knownNumber }, onAlert }: Pick<Reserved, "counted" | "onAlert">,
  outcome: SendDecision["outcome"],
  about?: LimitCount,
): SendDecision {
  const knownDevice = device !== undefined;
  return { type: "login.send_decided", outcome, country, onAlert, knownNumber, knownDevice, ...about };
}

function countOf({ group, count, threshold }: GroupRefusal): LimitCount {
  const limit = group.rule.kind;
  if (count === undefined || threshold === undefined) return { limit };
  // Rounded down: a count that was too high must not look as if it had only reached the threshold.
  return { limit, count, threshold: Math.floor(threshold * 10) / 10 };
}

const noBudgets = budgetQuery([]);
const noFailures: CounterQuery<number> = { changes: [], read: () => 0 };
const noDevice: CounterQuery<{ readonly isKnown: boolean }> = { changes: [], read: () => ({ isKnown: false }) };
const noCeiling: CounterQuery<CeilingState> = {
  changes: [],
  read: () => ({ refused: undefined, giveBack: () => undefined }),
};
