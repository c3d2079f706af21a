import type { PhoneNumber } from "../phone/phone-number.ts";
import type { Store } from "../store/store.ts";
import { type ClientAddress, unknownClient } from "../util/client-address.ts";
import type { Clock } from "../util/clock.ts";
import type { CodeKeys } from "../util/keys.ts";
import { emptied } from "./budgets.ts";
import { type ClosedGroups, createClosedGroups } from "./closed-groups.ts";
import { countConfirmed, countUndelivered } from "./count-login.ts";
import { type CountedLogin, isKnown, type ProvenBy } from "./counted-login.ts";
import { type Answers, answersOf, type CodeRequest, type CounterDeps, type CounterName, countOf } from "./counter.ts";
import {
  countersOf,
  deviceCounters,
  maxKnownDevices,
  provenCounters,
  sendCounters,
  totalCounters,
} from "./counter-table.ts";
import { type Decision, decide, secondsSince } from "./decide.ts";
import { groupsOf, isBlock } from "./groups.ts";
import type { AllowedCode, Kept, LimitedLogin, LoginWithCode, RefusedCode } from "./limited-code.ts";
import { createSharedCounters, type SharedCounters } from "./shared-counters.ts";

/** The limits of codes that are sent. Every code of the kit passes them before it is sent. */
export interface SendLimits {
  /**
   * Reserves a code for a login, in one call of the store. For a known device it takes two if the number has no code left. The refusals
   * are `cooldown`, `send_limit_reached`, `number_range_closed`, `client_limit_reached`, and those of the app's ceilings. Let a refused
   * login undo what it has added.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  reserve(login: LimitedLogin): Promise<AllowedCode | RefusedCode>;
  /**
   * Reserves another code for a login that had one before. The first resend adds nothing to the groups of the login, and each later one
   * adds as much as a login. While a group of the login is closed, it gets no code.
   *
   * @param isTentative - true to only read the number's budgets.
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  reserveAgain(phone: string, login: LoginWithCode, isTentative?: boolean): Promise<AllowedCode | RefusedCode>;
  /**
   * Reserves a code in the number's budgets, which were only read before, and in the ceilings. They alone decide.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  reserveNumber(phone: string, counted: CountedLogin): Promise<AllowedCode | RefusedCode>;
  /**
   * Counts a login as confirmed, and remembers what it has proven. `undefined` for a login that the app has refused: nothing is
   * remembered of its number.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  countConfirmed(phone: string, counted: CountedLogin, provenBy: ProvenBy | undefined): Promise<void>;
  /**
   * Returns the time since a login, a link or a step-up has proven a number; `undefined` if none is remembered.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  lastProvenSecondsAgo(phone: string): Promise<number | undefined>;
  /**
   * Forgets that a number was proven, and by which devices: it was removed from an account, and may get another owner.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  forget(phone: string): Promise<void>;
  /**
   * Takes a login off its blocks and its country, because the service could not deliver its code: nobody could have entered it. Its
   * address and network are unknown then, and keep it. It does so once a day for a number, and as often as a block may have unconfirmed
   * logins: a carrier may report failures of texts that it is paid for.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  countUndelivered(number: PhoneNumber): Promise<void>;
}

/** The dependencies of the limits. */
export interface SendLimitsDeps extends CounterDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: Pick<CodeKeys, "fingerprint">;
}

/** Creates the limits of an app. */
export function createSendLimits(deps: SendLimitsDeps): SendLimits {
  const { store, clock, keys } = deps;
  const counters = createSharedCounters(deps);
  const parts = { ...deps, counters, closedGroups: createClosedGroups(deps) };
  const common = (phone: string) => ({ now: clock.now(), phoneFingerprint: keys.fingerprint(phone) });

  return {
    reserve({ phone, country, client, device, isTentative = false }) {
      const names = { address: keys.fingerprint(client.address), network: keys.fingerprint(client.network) };
      const groups = groupsOf({ phone, ...names });
      return reserve(parts, { ...common(phone), ...names, country, device, groups, added: 1, isTentative }, client);
    },
    reserveAgain(phone, { counted, sends, client }, isTentative = false) {
      const groups = groupsOf({ ...counted, phone });
      const added = sends < 2 ? 0 : 1;
      return reserve(parts, { ...common(phone), ...counted, login: counted, groups, added, isTentative }, client);
    },
    reserveNumber(phone, counted) {
      const request = {
        ...common(phone),
        ...counted,
        login: counted,
        groups: [],
        added: 0,
        isTentative: false,
      } as const;
      return reserve(parts, request, unknownClient);
    },
    countConfirmed: (...login) => countConfirmed(parts, ...login),
    countUndelivered: (number) => countUndelivered(parts, number),
    async lastProvenSecondsAgo(phone) {
      const proven = provenCounters(deps, keys.fingerprint(phone));
      return secondsSince(answersOf(proven, await store.increment(proven)), "proven.last");
    },
    async forget(phone) {
      const phoneFingerprint = keys.fingerprint(phone);
      const proven = provenCounters(deps, phoneFingerprint).map(emptied);
      // After eight more places no device is known.
      const places = deviceCounters(deps, phoneFingerprint, undefined, { newestPlace: maxKnownDevices, place: 0 });
      await store.increment([...proven, ...places]);
    },
  };
}

/** What reserving a code needs. */
interface ReserveDeps extends CounterDeps {
  readonly counters: SharedCounters;
  readonly closedGroups: ClosedGroups;
}

/** Adds a code to its counters in one call of the store, decides, and says how to take everything back. */
async function reserve(
  deps: ReserveDeps,
  request: CodeRequest,
  client: ClientAddress,
): Promise<AllowedCode | RefusedCode> {
  const { counters, closedGroups } = deps;
  const answers = await counters.increment(countersOf(deps, request));
  const { refused, granted, ...code } = await decideWithStore(deps, request, answers);
  const { counted } = code;
  // Known numbers and devices add nothing to the totals, and only the answers tell whether they are known.
  const unconfirmed = isKnown(counted) ? 0 : request.added;
  const totals = totalCounters(deps, request.country, request.now, { unconfirmed });
  counters.add(totals);

  async function giveBack(kept: Kept = "nothing"): Promise<void> {
    // A known device is no stranger who could ask without end.
    const keepsClient = kept === "client" && counted.knownDevice === undefined;
    const back = granted.filter(({ name }) => !(keepsClient && clientCounters.includes(name)));
    await counters.giveBack([...back, ...totals]);
  }

  const allowed: AllowedCode = { ...code, giveBack };
  if (!refused) return allowed;
  const { limit, error, group, closeSeconds } = refused;
  return {
    decision: code.decision,
    counters: code.counters,
    refusedBy: limit,
    refusal: error,
    ...(group && { trusted: allowed }),
    async undo(kept) {
      await giveBack(kept);
      if (!group || closeSeconds === undefined) return;
      // A start that the app has challenged or denied says nothing about its block.
      if (kept !== "client" || !isBlock(group.rule.kind)) await closedGroups.close(group, client, closeSeconds);
    },
  };
}

const clientCounters: readonly CounterName[] = ["address.unconfirmed", "network.unconfirmed"];

/** Decides about a code, with a second call of the store where it is needed. If that call fails, everything is given back. */
async function decideWithStore(deps: ReserveDeps, request: CodeRequest, answers: Answers): Promise<Decision> {
  let decision = decide(deps.limits, request, answers);
  try {
    decision = await orOfDevice(deps, request, answers, decision);
    return await leaveClosedGroups(deps, request, answers, decision);
  } catch (error) {
    // If the store fails at undoing, what is left expires by itself.
    await Promise.allSettled([deps.counters.giveBack(decision.granted)]);
    throw error;
  }
}

/** If the number has no code left, decides again with the budgets of the known device. */
async function orOfDevice(
  deps: ReserveDeps,
  request: CodeRequest,
  answers: Answers,
  decision: Decision,
): Promise<Decision> {
  const { knownDevice } = decision.counted;
  if (decision.refused?.limit.limit !== "number" || knownDevice === undefined) return decision;
  const owner = { phoneFingerprint: request.phoneFingerprint, knownDevice };
  const ofDevice = sendCounters(deps, owner, request.now, request.isTentative ? 0 : 1);
  return decide(deps.limits, request, new Map([...answers, ...(await deps.counters.increment(ofDevice))]));
}

/** Takes a code that may be sent off its closed groups: each begins with a balance of zero when it opens, whoever has passed it. */
async function leaveClosedGroups(
  { counters }: ReserveDeps,
  { groups, isTentative }: CodeRequest,
  answers: Answers,
  decision: Decision,
): Promise<Decision> {
  // A refused code gives everything back.
  if (decision.refused && !isTentative) return decision;
  const closed = groups.filter(({ rule }) => countOf(answers, `${rule.kind}.closed`) > 0);
  const names = closed.map(({ rule }): CounterName => `${rule.kind}.unconfirmed`);
  const left = decision.granted.filter(({ name }) => names.includes(name));
  if (left.length === 0) return decision;
  await counters.giveBack(left);
  return { ...decision, granted: decision.granted.filter((counter) => !left.includes(counter)) };
}
