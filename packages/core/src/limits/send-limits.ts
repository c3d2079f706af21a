import type { Clock } from "../primitives/clock.ts";
import { DoorcodeError } from "../primitives/errors.ts";
import type { CodeKeys } from "../primitives/keys.ts";
import type { Store } from "../store/store.ts";
import { type Budget, type BudgetStates, budgetQuery, giveBack, givenBack, sendBudgets } from "./budgets.ts";
import { createClosedGroups } from "./closed-groups.ts";
import { type CountedLogin, countConfirmed } from "./counted-login.ts";
import { createCountryTotals } from "./country-totals.ts";
import { balanceChanges, closingChange, closingsChange, groupQuery } from "./group-counters.ts";
import { type Group, type GroupKind, groupsOf } from "./groups.ts";
import type { AllowedCode, Kept, LimitedLogin, RefusedCode } from "./limited-code.ts";
import { isEnforced, type LoginLimits } from "./login-limits.ts";
import { periodsOf } from "./periods.ts";
import { deviceQuery, isKnownNumber, numberPastQuery, wasProvenToday } from "./proven-numbers.ts";
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
   * `number_range_closed` and `client_limit_reached`. Let a refused login undo what it has added.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  reserve(login: LimitedLogin): Promise<AllowedCode | RefusedCode>;
  /**
   * Reserves another code for a login that was counted. Sending again is no second suspicion, so only the number's own budgets
   * decide: the refusals are `cooldown` and `send_limit_reached`.
   *
   * @param isTentative - true to only look at the budgets.
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  reserveAgain(phone: string, counted: CountedLogin, isTentative?: boolean): Promise<AllowedCode | RefusedCode>;
  /** Counts a login as confirmed, by the device with this digest. @throws {@link DoorcodeError} `store_unavailable` */
  countConfirmed(phone: string, counted: CountedLogin, device: string): Promise<void>;
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
  readonly knownNumber: boolean;
  readonly onAlert: boolean;
  /** The shares that were granted. */
  readonly granted: readonly Budget[];
}

/** Creates the limits of an app. */
export function createSendLimits(deps: SendLimitsDeps): SendLimits {
  const { name, store, clock, keys, limits } = deps;
  const prefix = `${name}:limits`;
  const totals = createCountryTotals({ prefix, clock });
  const closedGroups = createClosedGroups(store, prefix);
  const isOnAlert = (country: string) => isEnforced(limits, "country") && totals.isOnAlert(country);

  async function reserve(login: LimitedLogin): Promise<AllowedCode | RefusedCode> {
    const { phone, country, client, device, isTentative = false } = login;
    const phoneFingerprint = keys.fingerprint(phone);
    const names = { phone, address: keys.fingerprint(client.address), network: keys.fingerprint(client.network) };
    const groups = groupsOf(names);
    const periods = periodsOf(clock.now());
    const [ofNumber, ofDevice, { isKnown }, past, , ...states] = await askTogether(store, [
      budgetQuery(sendBudgets(deps, { phoneFingerprint }), isTentative),
      // A device that is not known gets budgets too, because only the store knows which one is. Nothing looks at them.
      device === undefined ? noBudgets : budgetQuery(sendBudgets(deps, { phoneFingerprint, device }), isTentative),
      device === undefined ? noDevice : deviceQuery(prefix, phoneFingerprint, device, 0),
      numberPastQuery(prefix, phoneFingerprint, 0),
      totals.shareQuery(country),
      ...groups.map((group) => groupQuery(prefix, group, periods, 1)),
    ]);
    totals.add(country, { unconfirmed: 1 });
    const knownNumber = isKnownNumber(past, ofNumber.sendsToday);
    const { address, network } = names;
    const known = isKnown || knownNumber;
    const counted = { country, address, network, known, provenToday: wasProvenToday(past) };
    const reserved: Reserved = {
      phone,
      client,
      counted: isKnown ? { ...counted, device } : counted,
      knownNumber,
      onAlert: isOnAlert(country),
      granted: [...ofNumber.granted, ...ofDevice.granted],
    };
    const found = groups.flatMap((group, index) => (states[index] ? [{ group, state: states[index] }] : []));
    return judge(reserved, isKnown ? ofDevice : ofNumber, found);
  }

  function judge(reserved: Reserved, budgets: BudgetStates, groups: readonly FoundGroup[]): AllowedCode | RefusedCode {
    const { onAlert, counted } = reserved;
    const usual = (kind: GroupKind) => totals.usualOf(counted.country, kind);
    const counters = [countOfNumber(budgets, counted), ...countGroups(groups, onAlert, usual)];
    const undo = (kept?: Kept) => takeBack(reserved, kept);
    if (budgets.refusal) {
      const refusedBy = { limit: "number" } as const;
      const decision = describe(reserved, "refused", refusedBy);
      return { refusal: budgets.refusal, refusedBy, decision, counters, undo };
    }
    const refusals = counted.known ? [] : findRefusals(groups, onAlert, usual);
    const enforced = refusals.find(({ group }) => isEnforced(limits, group.rule.kind));
    const [first] = refusals;
    const allowed: AllowedCode = {
      counted,
      counters,
      decision: describe(reserved, first ? "would_refuse" : "allowed", first && countOf(first)),
      cooldownSeconds: budgets.cooldownSeconds,
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
        await takeBack(reserved, kept, state.isClosed ? undefined : group);
        if (!state.isClosed) await close(group, describeGroup(group, reserved.client), seconds);
      },
    };
  }

  async function reserveAgain(
    phone: string,
    counted: CountedLogin,
    isTentative = false,
  ): Promise<AllowedCode | RefusedCode> {
    const owner = { phoneFingerprint: keys.fingerprint(phone), device: counted.device };
    const [budgets] = await askTogether(store, [budgetQuery(sendBudgets(deps, owner), isTentative)]);
    const { refusal, granted, cooldownSeconds } = budgets;
    const about = { counted, knownNumber: counted.known, onAlert: isOnAlert(counted.country) };
    const counters = [countOfNumber(budgets, counted)];
    const undo = () => giveBack(store, granted);
    if (refusal) {
      const refusedBy = { limit: "number" } as const;
      return { refusal, refusedBy, decision: describe(about, "refused", refusedBy), counters, undo };
    }
    return { counted, decision: describe(about, "allowed"), counters, cooldownSeconds, giveBack: undo };
  }

  function countOfNumber({ sendsToday }: BudgetStates, { device }: CountedLogin): LimitCount {
    const threshold = device === undefined ? limits.sendsPerPhonePerDay : limits.sendsPerDevicePerDay;
    return { limit: "number", count: sendsToday, threshold };
  }

  /** Takes back what a login has added, except to a group that is being closed, which begins anew. */
  async function takeBack(
    { phone, counted, granted }: Reserved,
    kept: Kept = "nothing",
    closing?: Group | undefined,
  ): Promise<void> {
    totals.add(counted.country, { unconfirmed: -1 });
    // A known device is no stranger who could ask without end.
    const keepsClient = kept === "client" && counted.device === undefined;
    const groups = groupsOf({ ...counted, phone }).filter(
      ({ rule }) => rule !== closing?.rule && !(keepsClient && isOfClient(rule.kind)),
    );
    await store.increment([...granted.map(givenBack), ...balanceChanges(prefix, groups, -1)]);
  }

  async function close(group: Group, value: string, seconds: number): Promise<void> {
    const [closed] = await store.increment([closingChange(prefix, group, seconds)]);
    if (!closed?.granted) return;
    await Promise.all([store.increment([closingsChange(prefix, group)]), closedGroups.add(group, value, seconds)]);
  }

  return {
    reserve,
    reserveAgain,
    countConfirmed: (...login) => countConfirmed({ prefix, store, clock, keys, totals }, ...login),
  };
}

function describe(
  { counted: { country, device }, onAlert, knownNumber }: Pick<Reserved, "counted" | "onAlert" | "knownNumber">,
  outcome: SendDecision["outcome"],
  about?: LimitCount,
): SendDecision {
  const knownDevice = device !== undefined;
  return { type: "login.send_decided", outcome, country, onAlert, knownNumber, knownDevice, ...about };
}

function isOfClient(kind: GroupKind): boolean {
  return kind === "address" || kind === "network";
}

function countOf({ group, count, threshold }: GroupRefusal): LimitCount {
  return {
    limit: group.rule.kind,
    ...(count !== undefined && { count }),
    ...(threshold !== undefined && { threshold }),
  };
}

/** Returns what an operator knows a group by: a fingerprint would tell nothing. */
function describeGroup({ rule, name }: Group, { address, network }: LimitedLogin["client"]): string {
  if (rule.kind === "address") return address;
  return rule.kind === "network" ? network : name;
}

const noBudgets = budgetQuery([]);
const noDevice: CounterQuery<{ readonly isKnown: boolean }> = { changes: [], read: () => ({ isKnown: false }) };
