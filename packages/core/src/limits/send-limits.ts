import { z } from "zod";
import type { Clock } from "../primitives/clock.ts";
import { DoorcodeError } from "../primitives/errors.ts";
import type { CodeKeys } from "../primitives/keys.ts";
import type { Publish } from "../primitives/publish.ts";
import type { Store } from "../store/store.ts";
import { type Budget, type BudgetStates, budgetQuery, giveBack, givenBack, refusalOf, sendBudgets } from "./budgets.ts";
import { type CountryTotals, createCountryTotals } from "./country-totals.ts";
import {
  balanceChanges,
  closingChange,
  closingsChange,
  type GroupState,
  groupQuery,
  loginQuery,
} from "./group-counters.ts";
import { type Group, type GroupKind, type GroupNames, groupsOf } from "./groups.ts";
import { isEnforced, type LoginLimits } from "./login-limits.ts";
import { periodsOf } from "./periods.ts";
import { type NumberPast, numberPastQuery } from "./proven-numbers.ts";
import { askTogether, type CounterQuery } from "./query.ts";

/** A login whose code is to be sent. */
export interface LimitedLogin {
  /** The number in E.164. */
  readonly phone: string;
  /** The ISO 3166 code of the number's country. */
  readonly country: string;
  /** The client's address and network, canonical. */
  readonly client: { readonly address: string; readonly network: string };
}

/** What a login has added to the counters, kept in its transaction until it is confirmed. */
export interface CountedLogin {
  readonly country: string;
  /** The fingerprints of the client's address and network. */
  readonly address: string;
  readonly network: string;
  /** True for a number that was proven before, and is not limited by its groups. */
  readonly known: boolean;
  /** True if the number was already proven within a day: a person counts once a day. */
  readonly provenToday: boolean;
}

/** The shape of a {@link CountedLogin} in the store. */
export const countedLoginShape: z.ZodType<CountedLogin> = z.object({
  country: z.string(),
  address: z.string(),
  network: z.string(),
  known: z.boolean(),
  provenToday: z.boolean(),
});

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

/** A decision about one code, for `onEvent`. It holds no number and no address. */
export interface SendDecision {
  readonly type: "login.send_decided";
  readonly outcome: "allowed" | "refused" | "would_refuse";
  readonly country: string;
  /** What refused, or would have refused. */
  readonly limit?: GroupKind | "number" | undefined;
  /** The count that was compared, and what it may be. */
  readonly count?: number | undefined;
  readonly threshold?: number | undefined;
  /** True while the country has far more unconfirmed logins than its past explains. */
  readonly onAlert: boolean;
  readonly knownNumber: boolean;
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
  reserveAgain(phone: string, counted: CountedLogin | undefined): Promise<AllowedCode>;
  /** Returns the query that counts a login as confirmed. */
  confirmQuery(phone: string, counted: CountedLogin): CounterQuery<void>;
  /** Takes a login back whose code was not delivered, as the service says: nobody could have confirmed it. */
  takeBackUndelivered(phone: string, counted: CountedLogin): Promise<void>;
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

const daySeconds = 86_400;
/** A closed group opens again after the first of these; one that is closed again within a week, after the next. */
const closingSeconds = [3600, 6 * 3600, daySeconds];
/** While it was closed before within a week, a group may have this part of its limits: it opens half. */
const afterClosing = 1 / 2;
const unconfirmedPerDailyLogin = 0.5;
const loginsPerDailyLogin = 5;
const loginsPerActiveBlock = 4;
/** A number that was proven a day ago or longer is known, for so many codes a day. More could be an attacker's own. */
const knownAfterSeconds = daySeconds;
const codesOfKnownNumber = 3;

/** What decides about a code, as the store had it at one instant. */
interface Facts {
  readonly login: LimitedLogin;
  readonly counted: CountedLogin;
  readonly groups: readonly { readonly group: Group; readonly state: GroupState }[];
  readonly onAlert: boolean;
}

/** A group that refuses a login. */
interface GroupRefusal {
  readonly group: Group;
  readonly state: GroupState;
  readonly count: number;
  readonly threshold: number;
}

/** Creates the limits of an app. */
export function createSendLimits(deps: SendLimitsDeps): SendLimits {
  const { name, store, clock, keys, limits, publish } = deps;
  const prefix = `${name}:limits`;
  const totals = createCountryTotals({ prefix, clock });

  async function reserve(login: LimitedLogin): Promise<AllowedLogin | RefusedLogin> {
    const { phone, country, client } = login;
    const phoneFingerprint = keys.fingerprint(phone);
    const names = { phone, address: keys.fingerprint(client.address), network: keys.fingerprint(client.network) };
    const budgets = sendBudgets(deps, phoneFingerprint);
    const periods = periodsOf(clock.now());
    const groups = groupsOf(names);
    const [budget, past, , ...states] = await askTogether(store, [
      budgetQuery(budgets),
      numberPastQuery(prefix, phoneFingerprint, 0),
      totals.shareQuery(country),
      ...groups.map((group) => groupQuery(prefix, group, periods, 1)),
    ]);
    totals.add(country, { unconfirmed: 1 });
    const counted = describeCounted(names, country, past, budget.sendsToday);
    const facts: Facts = {
      login,
      counted,
      groups: groups.flatMap((group, index) => (states[index] ? [{ group, state: states[index] }] : [])),
      onAlert: isEnforced(limits, "country") && totals.isOnAlert(country),
    };
    const refused = refuseByNumber(facts, budgets, budget) ?? refuseByGroup(facts, budgets);
    if (refused) return refused;
    return {
      counted,
      cooldownSeconds: budget.cooldownSeconds,
      giveBack: () => takeBack(facts, budgets, undefined),
    };
  }

  async function reserveAgain(phone: string, counted: CountedLogin | undefined): Promise<AllowedCode> {
    const budgets = sendBudgets(deps, keys.fingerprint(phone));
    const [budget] = await askTogether(store, [budgetQuery(budgets)]);
    const refusal = refusalOf(budgets, budget.states);
    const granted = budgets.filter((_, index) => budget.states[index]?.granted);
    const { country = "", known: knownNumber = false } = counted ?? {};
    const about = { country, knownNumber, onAlert: false };
    if (!refusal) {
      publish({ type: "login.send_decided", outcome: "allowed", ...about });
      return { cooldownSeconds: budget.cooldownSeconds, giveBack: () => giveBack(store, budgets) };
    }
    await giveBack(store, granted);
    publish({ type: "login.send_decided", outcome: "refused", limit: "number", ...about });
    throw refusal;
  }

  function refuseByNumber(
    facts: Facts,
    budgets: readonly Budget[],
    { states }: BudgetStates,
  ): RefusedLogin | undefined {
    const refusal = refusalOf(budgets, states);
    if (!refusal) return undefined;
    decide(facts, "refused", { limit: "number" });
    const granted = budgets.filter((_, index) => states[index]?.granted);
    return { refusal, undo: () => takeBack(facts, granted, undefined) };
  }

  function refuseByGroup(facts: Facts, budgets: readonly Budget[]): RefusedLogin | undefined {
    const refusals = facts.counted.known ? [] : findRefusals(facts, totals);
    const enforced = refusals.find(({ group }) => isEnforced(limits, group.rule.kind));
    if (!enforced) {
      const [observed] = refusals;
      decide(facts, observed ? "would_refuse" : "allowed", observed && describeRefusal(observed));
      return undefined;
    }
    decide(facts, "refused", describeRefusal(enforced));
    const { group, state } = enforced;
    const retryAfterSeconds = state.isClosed ? state.secondsLeft : lengthOfClosing(state, facts.onAlert);
    return {
      refusal: new DoorcodeError(group.rule.refusal, { retryAfterSeconds }),
      async undo() {
        await takeBack(facts, budgets, state.isClosed ? undefined : group);
        if (!state.isClosed) await close(group, retryAfterSeconds);
      },
    };
  }

  /** Takes back what a refused login has added, except to a group that is being closed, which begins anew. */
  async function takeBack(
    { login, counted }: Facts,
    granted: readonly Budget[],
    closing: Group | undefined,
  ): Promise<void> {
    totals.add(counted.country, { unconfirmed: -1 });
    const names = { ...counted, phone: login.phone };
    const kinds = groupsOf(names);
    const balances = balanceChanges(prefix, names, -1).filter((_, index) => kinds[index]?.rule !== closing?.rule);
    await store.increment([...granted.map(givenBack), ...balances]);
  }

  async function close(group: Group, seconds: number): Promise<void> {
    const [closed] = await store.increment([closingChange(prefix, group, seconds)]);
    if (closed?.granted) await store.increment([closingsChange(prefix, group)]);
  }

  function decide(
    { login, counted, onAlert }: Facts,
    outcome: SendDecision["outcome"],
    about: Pick<SendDecision, "limit" | "count" | "threshold"> = {},
  ): void {
    const { country } = login;
    publish({ type: "login.send_decided", outcome, country, onAlert, knownNumber: counted.known, ...about });
  }

  return {
    reserve,
    reserveAgain,
    confirmQuery(phone, counted) {
      return confirmQuery({ prefix, clock, keys, totals }, phone, counted);
    },
    async takeBackUndelivered(phone, counted) {
      totals.add(counted.country, { unconfirmed: -1 });
      await store.increment(balanceChanges(prefix, { ...counted, phone }, -1));
    },
  };
}

function describeCounted(
  { address, network }: GroupNames,
  country: string,
  { firstProvenSecondsAgo = 0, lastProvenSecondsAgo }: NumberPast,
  sendsToday: number,
): CountedLogin {
  return {
    country,
    address,
    network,
    known: firstProvenSecondsAgo >= knownAfterSeconds && sendsToday <= codesOfKnownNumber,
    provenToday: lastProvenSecondsAgo !== undefined && lastProvenSecondsAgo < daySeconds,
  };
}

function describeRefusal({
  group,
  count,
  threshold,
}: GroupRefusal): Pick<SendDecision, "limit" | "count" | "threshold"> {
  return { limit: group.rule.kind, count, threshold };
}

/** Returns the groups that refuse a login, in their order. */
function findRefusals(facts: Facts, totals: CountryTotals): readonly GroupRefusal[] {
  return facts.groups.flatMap(({ group, state }) => {
    const limits = limitsOf(facts, { group, state }, totals);
    const isOver = state.unconfirmed > limits.unconfirmed;
    if (isOver || state.isClosed) return [{ group, state, count: state.unconfirmed, threshold: limits.unconfirmed }];
    const logins = state.loginsToday + 1;
    return logins > limits.logins ? [{ group, state, count: logins, threshold: limits.logins }] : [];
  });
}

/** Returns what a group may have now: the more, the more people of it have logged in before. */
function limitsOf(
  { login, onAlert }: Facts,
  { group: { rule }, state }: Facts["groups"][number],
  totals: CountryTotals,
): { readonly unconfirmed: number; readonly logins: number } {
  const opening = state.closings > 0 ? afterClosing : 1;
  return {
    unconfirmed:
      rule.unconfirmed * opening * (onAlert ? rule.onAlert : 1) + unconfirmedPerDailyLogin * state.dailyLogins,
    logins: Math.max(
      (rule.confirmedPerDay ?? Number.POSITIVE_INFINITY) * opening,
      loginsPerDailyLogin * state.dailyLogins,
      loginsPerActiveBlock * totals.loginsPerActive(login.country, rule.kind),
    ),
  };
}

function lengthOfClosing({ closings }: GroupState, onAlert: boolean): number {
  // An attack that raised the alert is not let in again after an hour.
  const index = closings + (onAlert ? 1 : 0);
  return closingSeconds[Math.min(index, closingSeconds.length - 1)] ?? daySeconds;
}

interface ConfirmDeps {
  readonly prefix: string;
  readonly clock: Clock;
  readonly keys: Pick<CodeKeys, "fingerprint">;
  readonly totals: CountryTotals;
}

function confirmQuery(
  { prefix, clock, keys, totals }: ConfirmDeps,
  phone: string,
  counted: CountedLogin,
): CounterQuery<void> {
  const names = { ...counted, phone };
  const isNew = !counted.provenToday;
  // A person whose number is known takes off what the login has added. Others show that people there do log in.
  const off = counted.known || !isNew ? -1 : -2;
  const balances = balanceChanges(prefix, names, off);
  const past = numberPastQuery(prefix, keys.fingerprint(phone), 1);
  const logins = isNew ? groupsOf(names).map((group) => loginQuery(prefix, group, periodsOf(clock.now()))) : [];
  return {
    changes: [...balances, ...past.changes, ...logins.flatMap(({ changes }) => changes)],
    read(states) {
      const ofLogins = states.slice(balances.length + past.changes.length);
      const [block, wideBlock] = logins.map(({ read }, index) => read(ofLogins.slice(2 * index)).isFirst);
      totals.add(counted.country, {
        unconfirmed: off,
        logins: isNew ? 1 : 0,
        blocks: block ? 1 : 0,
        wideBlocks: wideBlock ? 1 : 0,
      });
    },
  };
}
