import type { ClientAddress } from "../primitives/client-address.ts";
import type { Clock } from "../primitives/clock.ts";
import { DoorcodeError } from "../primitives/errors.ts";
import type { CodeKeys } from "../primitives/keys.ts";
import type { Publish } from "../primitives/publish.ts";
import type { Store } from "../store/store.ts";
import { type Budget, type BudgetStates, budgetQuery, giveBack, givenBack, sendBudgets } from "./budgets.ts";
import { createClosedGroups } from "./closed-groups.ts";
import { type CountedLogin, countConfirmed } from "./counted-login.ts";
import { createCountryTotals } from "./country-totals.ts";
import { balanceChanges, closingChange, closingsChange, groupQuery } from "./group-counters.ts";
import { type Group, groupsOf } from "./groups.ts";
import { isEnforced, type LoginLimits } from "./login-limits.ts";
import { periodsOf } from "./periods.ts";
import { deviceQuery, isKnownNumber, numberPastQuery, wasProvenToday } from "./proven-numbers.ts";
import { askTogether, type CounterQuery } from "./query.ts";
import { describeRefusal, findRefusals, lengthOfClosing, type SendDecision } from "./send-decision.ts";

/** A login whose code is to be sent. */
export interface LimitedLogin {
  /** The number in E.164. */
  readonly phone: string;
  /** The ISO 3166 code of the number's country. */
  readonly country: string;
  readonly client: ClientAddress;
  /** The digest of the id in the device's cookie. */
  readonly device?: string | undefined;
}

/** A code that may be sent. */
export interface AllowedCode {
  /** The time until another code may be sent to the number. */
  readonly cooldownSeconds: number;
  /** Takes everything back, because the code was surely not sent. */
  giveBack(): Promise<void>;
}

/** The first code of a login, which may be sent. */
export interface AllowedLogin extends AllowedCode {
  readonly counted: CountedLogin;
}

/** A login that may have no code sent. */
export interface RefusedLogin {
  readonly refusal: DoorcodeError;
  /** Takes back what the login has added to the counters, and closes the group that it was too much for. */
  undo(): Promise<void>;
}

/** The limits of codes that are sent. Every code of the kit passes them before it is sent. */
export interface SendLimits {
  /**
   * Reserves a code for a login, in one call of the store. The refusals are `cooldown`, `send_limit_reached`,
   * `number_range_closed` and `client_limit_reached`. Let a refused login undo what it has added.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  reserve(login: LimitedLogin): Promise<AllowedLogin | RefusedLogin>;
  /**
   * Reserves another code for a login that was counted. Sending again is no second suspicion, so only the number's own budgets
   * decide.
   *
   * @throws {@link DoorcodeError} `cooldown`, `send_limit_reached` or `store_unavailable`
   */
  reserveAgain(phone: string, counted: CountedLogin): Promise<AllowedCode>;
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
  readonly publish: Publish<SendDecision>;
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
  const { name, store, clock, keys, limits, publish } = deps;
  const prefix = `${name}:limits`;
  const totals = createCountryTotals({ prefix, clock });
  const closedGroups = createClosedGroups(store, prefix);

  async function reserve(login: LimitedLogin): Promise<AllowedLogin | RefusedLogin> {
    const { phone, country, client, device } = login;
    const phoneFingerprint = keys.fingerprint(phone);
    const names = { phone, address: keys.fingerprint(client.address), network: keys.fingerprint(client.network) };
    const groups = groupsOf(names);
    const periods = periodsOf(clock.now());
    const [ofNumber, ofDevice, { isKnown }, past, , ...states] = await askTogether(store, [
      budgetQuery(sendBudgets(deps, { phoneFingerprint })),
      // A device that is not known gets budgets too, because only the store knows which one is. Nothing looks at them.
      device === undefined ? noBudgets : budgetQuery(sendBudgets(deps, { phoneFingerprint, device })),
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
      onAlert: isEnforced(limits, "country") && totals.isOnAlert(country),
      granted: [...ofNumber.granted, ...ofDevice.granted],
    };
    const budgets = isKnown ? ofDevice : ofNumber;
    const found = groups.flatMap((group, index) => (states[index] ? [{ group, state: states[index] }] : []));
    const refused = refuseByBudget(reserved, budgets) ?? (known ? undefined : refuseByGroup(reserved, found));
    if (refused) return refused;
    if (known) decide(reserved, "allowed");
    return {
      counted: reserved.counted,
      cooldownSeconds: budgets.cooldownSeconds,
      giveBack: () => takeBack(reserved, undefined),
    };
  }

  async function reserveAgain(phone: string, counted: CountedLogin): Promise<AllowedCode> {
    const owner = { phoneFingerprint: keys.fingerprint(phone), device: counted.device };
    const [budgets] = await askTogether(store, [budgetQuery(sendBudgets(deps, owner))]);
    const { refusal, granted, cooldownSeconds } = budgets;
    const about = { phone, counted, knownNumber: counted.known, onAlert: false };
    decide(about, refusal ? "refused" : "allowed", refusal && { limit: "number" });
    if (!refusal) return { cooldownSeconds, giveBack: () => giveBack(store, granted) };
    await giveBack(store, granted);
    throw refusal;
  }

  function refuseByBudget(reserved: Reserved, { refusal }: BudgetStates): RefusedLogin | undefined {
    if (!refusal) return undefined;
    decide(reserved, "refused", { limit: "number" });
    return { refusal, undo: () => takeBack(reserved, undefined) };
  }

  function refuseByGroup(reserved: Reserved, groups: Parameters<typeof findRefusals>[0]): RefusedLogin | undefined {
    const { onAlert, counted } = reserved;
    const refusals = findRefusals(groups, onAlert, (kind) => totals.loginsPerActive(counted.country, kind));
    const enforced = refusals.find(({ group }) => isEnforced(limits, group.rule.kind));
    if (!enforced) {
      const [observed] = refusals;
      decide(reserved, observed ? "would_refuse" : "allowed", observed && describeRefusal(observed));
      return undefined;
    }
    decide(reserved, "refused", describeRefusal(enforced));
    const { group, state } = enforced;
    const retryAfterSeconds = state.isClosed ? state.secondsLeft : lengthOfClosing(state, onAlert);
    return {
      refusal: new DoorcodeError(group.rule.refusal, { retryAfterSeconds }),
      async undo() {
        await takeBack(reserved, state.isClosed ? undefined : group);
        if (!state.isClosed) await close(group, describeGroup(group, reserved.client), retryAfterSeconds);
      },
    };
  }

  /** Takes back what a login has added, except to a group that is being closed, which begins anew. */
  async function takeBack({ phone, counted, granted }: Reserved, closing: Group | undefined): Promise<void> {
    totals.add(counted.country, { unconfirmed: -1 });
    const groups = groupsOf({ ...counted, phone }).filter(({ rule }) => rule !== closing?.rule);
    await store.increment([...granted.map(givenBack), ...balanceChanges(prefix, groups, -1)]);
  }

  async function close(group: Group, value: string, seconds: number): Promise<void> {
    const [closed] = await store.increment([closingChange(prefix, group, seconds)]);
    if (!closed?.granted) return;
    await Promise.all([store.increment([closingsChange(prefix, group)]), closedGroups.add(group, value, seconds)]);
  }

  function decide(
    { counted, onAlert, knownNumber }: Omit<Reserved, "granted" | "client">,
    outcome: SendDecision["outcome"],
    about?: Pick<SendDecision, "limit" | "count" | "threshold">,
  ): void {
    const { country, device } = counted;
    const knownDevice = device !== undefined;
    publish({ type: "login.send_decided", outcome, country, onAlert, knownNumber, knownDevice, ...about });
  }

  return {
    reserve,
    reserveAgain,
    countConfirmed: (...login) => countConfirmed({ prefix, store, clock, keys, totals }, ...login),
  };
}

/** Returns what an operator knows a group by: a fingerprint would tell nothing. */
function describeGroup({ rule, name }: Group, { address, network }: LimitedLogin["client"]): string {
  if (rule.kind === "address") return address;
  return rule.kind === "network" ? network : name;
}

const noBudgets = budgetQuery([]);
const noDevice: CounterQuery<{ readonly isKnown: boolean }> = { changes: [], read: () => ({ isKnown: false }) };
