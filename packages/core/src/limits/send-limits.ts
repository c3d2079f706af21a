import type { PhoneNumber } from "../phone/phone-number.ts";
import { type ClientAddress, unknownClient } from "../util/client.ts";
import { closeGroup } from "./closed-groups.ts";
import {
  addressFailureBudgets,
  closedCounters,
  countersOf,
  groupLoginCounters,
  groupsOf,
  historyCounters,
  isBlock,
  type LimitDeps,
  maxKnownDevices,
  type Proof,
  sendCounters,
  totalCounters,
  unconfirmedCounter,
  undeliveredCounter,
} from "./counter-table.ts";
import { type Counter, countOf, emptied } from "./counters.ts";
import { decide, hasKnownPlace, provenSecondsAgo } from "./decide.ts";
import type { Decision, Group, LimitFacts, LimitRequest } from "./decision.ts";

/** The part of the app in a decision. */
export interface PartOfApp {
  /** True if the app's `beforeSend` decides too. Group limits then also apply to known numbers. */
  readonly asksApp?: boolean;
  /** True if the app trusts the login against its groups. */
  readonly isTrusted?: boolean;
}

/** A login whose first code is to be sent. */
export interface LimitedLogin extends PartOfApp {
  readonly phone: string;
  readonly country: string;
  readonly client: ClientAddress;
  /** The digest of the id in the device's cookie. */
  readonly deviceDigest?: string | undefined;
}

/** A login that had `sends` codes before, whose next code is to be sent. */
export interface LimitedResend extends PartOfApp {
  readonly phone: string;
  readonly login: LimitFacts;
  readonly sends: number;
}

/**
 * Decides about a code without a trace: nothing is counted.
 *
 * @throws {@link DoorcodeError} `store_unavailable`
 */
export function readCode(deps: LimitDeps, code: LimitedLogin | LimitedResend): Promise<Decision> {
  return countAndDecide(deps, requestOf(deps, code, 0));
}

/**
 * Reserves a code that {@link readCode} has let pass. Give back what it has added if it is refused all the same, or not sent.
 *
 * @throws {@link DoorcodeError} `store_unavailable`
 */
export function countCode(deps: LimitDeps, code: LimitedLogin | LimitedResend): Promise<Decision> {
  return countAndDecide(deps, requestOf(deps, code, 1));
}

/**
 * Reads what a code would meet, and counts it only if it may be sent. A refused code that was counted for a moment would refuse others
 * meanwhile: a flood of such codes would close a number, a block or a ceiling without a text.
 *
 * @throws {@link DoorcodeError} `store_unavailable`
 */
export async function reserveCode(deps: LimitDeps, code: LimitedLogin | LimitedResend): Promise<Decision> {
  const read = await readCode(deps, code);
  return read.refused ? read : countCode(deps, code);
}

/**
 * The first resend adds nothing to the groups of a login, and each later one adds as much as a login. While a group of the login is closed,
 * it gets no code.
 */
function requestOf(deps: LimitDeps, code: LimitedLogin | LimitedResend, by: 0 | 1): LimitRequest {
  const { phone, asksApp = false, isTrusted = false } = code;
  const common = { now: deps.clock.now(), phoneFingerprint: deps.keys.fingerprint(phone), by, asksApp, isTrusted };
  if ("login" in code) {
    const { login, sends } = code;
    return { ...common, ...login, login, groups: groupsOf(phone, login), added: sends < 2 ? 0 : 1 };
  }
  const { country, client, deviceDigest } = code;
  const names = { address: deps.keys.fingerprint(client.address), network: deps.keys.fingerprint(client.network) };
  return { ...common, ...names, country, deviceDigest, groups: groupsOf(phone, names, client), added: 1 };
}

/** Asks for the counters of a code in one call of the store, and decides; with a second call where the answers ask for it. */
async function countAndDecide(deps: LimitDeps, request: LimitRequest): Promise<Decision> {
  const { limits, counters } = deps;
  const { now, phoneFingerprint, by } = request;
  const answers = await counters.increment(countersOf(deps, request));
  let decision = decide(limits, request, answers);
  try {
    const { knownDevice } = decision.facts;
    if (decision.refused?.limit.limit === "number" && knownDevice) {
      // The number has no code left: the budgets of the known device decide.
      const ofDevice = sendCounters(deps, { phoneFingerprint, knownDevice }, now, by);
      decision = decide(limits, request, new Map([...answers, ...(await counters.increment(ofDevice))]));
    }
    await counters.giveBack(decision.addedToClosed);
  } catch (error) {
    // If the store fails at undoing, the counters expire by themselves.
    await Promise.allSettled([counters.giveBack([...decision.granted, ...decision.addedToClosed])]);
    throw error;
  }
  // Only the answers tell whether the login is exempt.
  const unconfirmed = decision.facts.isExempt ? 0 : by * request.added;
  const totals = unconfirmed > 0 ? totalCounters(deps, now, request.country, { unconfirmed }) : [];
  counters.add(totals);
  const { group, closeSeconds } = decision.refused ?? {};
  const event = {
    ...decision.event,
    ...(group && { group: deps.keys.fingerprint(`${group.kind} ${group.value}`) }),
    ...(closeSeconds !== undefined && { closedForSeconds: closeSeconds }),
  };
  return { ...decision, event, granted: [...decision.granted, ...totals] };
}

/**
 * Counts a start that the app has challenged or denied for its client alone, unless that is a known device: a client that asks without end
 * closes its own address. The number and its blocks lose nothing by a stranger's starts.
 *
 * @throws {@link DoorcodeError} `store_unavailable`
 */
export async function countForClient(deps: LimitDeps, phone: string, code: Decision): Promise<void> {
  const { facts, added, refused } = code;
  const ofClient = groupsOf(phone, facts).filter((group) => !isBlock(group));
  // A known device is no stranger who could ask without end.
  const by = facts.knownDevice === undefined ? added : 0;
  const countedOf = (group: Group) => unconfirmedCounter(deps, group, by);
  const answers = await deps.counters.increment(
    ofClient.flatMap((group) => [countedOf(group), ...closedCounters(deps, group)]),
  );
  // A closed group opens with a balance of zero.
  const closed = ofClient.filter(({ kind }) => countOf(answers, `${kind}.closed`) > 0);
  await deps.counters.giveBack(closed.map(countedOf));
  if (refused?.group && !isBlock(refused.group)) await closeRefusing(deps, code);
}

async function closeRefusing(deps: LimitDeps, { refused }: Decision): Promise<void> {
  const { group, closeSeconds } = refused ?? {};
  if (group && closeSeconds !== undefined) await closeGroup(deps, group, closeSeconds);
}

/**
 * Takes back what a code has added to the counters, because it was surely not sent. If the code was too much for a group, the group is
 * closed. With `keeps` "client", the client's address and network keep it, unless the client is a known device.
 *
 * @throws {@link DoorcodeError} `store_unavailable`
 */
export async function giveBackCode(
  deps: LimitDeps,
  code: Decision,
  keeps: "nothing" | "client" = "nothing",
): Promise<void> {
  const { granted, facts } = code;
  const keepsClient = keeps === "client" && facts.knownDevice === undefined;
  const isOfClient = ({ name }: Counter) => name === "address.unconfirmed" || name === "network.unconfirmed";
  await deps.counters.giveBack(keepsClient ? granted.filter((counter) => !isOfClient(counter)) : granted);
  await closeRefusing(deps, code);
}

/** What a confirmed login has proven. */
export interface ProvenBy {
  /** The digest of the device's id. A `verify` has none: it belongs to no user, so no device becomes that of one. */
  readonly deviceDigest?: string;
}

/** Wrong codes that a right one from the same address outweighs: people behind one address mistype, and most of them log in. */
const outweighed = 2;

/**
 * Counts a login as confirmed, in one call of the store, and remembers what it has proven. A login that the app has refused proves nothing:
 * else the next login from there would be one of a known device.
 *
 * @throws {@link DoorcodeError} `store_unavailable`
 */
export async function countConfirmed(
  deps: LimitDeps,
  phone: string,
  facts: LimitFacts,
  provenBy: ProvenBy | undefined,
): Promise<void> {
  const { clock, keys, counters } = deps;
  const now = clock.now();
  const groups = groupsOf(phone, facts);
  // People who log in show that a group is one of people, each once a day. Later logins take off what they have added.
  const isNew = provenBy !== undefined && !facts.provenToday;
  const off = -facts.added - (isNew ? 1 : 0);
  const failures = addressFailureBudgets(deps, facts.address, facts.knownDevice);
  const answers = await counters.increment([
    ...groups.map((group) => unconfirmedCounter(deps, group, off)),
    ...(isNew ? groups.flatMap((group) => groupLoginCounters(deps, group, now, 1)) : []),
    ...(provenBy
      ? historyCounters(deps, keys.fingerprint(phone), provenBy.deviceDigest, proofOf(facts, provenBy))
      : []),
    ...failures.map((budget) => ({ ...budget, by: -outweighed })),
  ]);
  const isFirstOf = (kind: "block" | "wide_block") => (isNew && countOf(answers, `${kind}.today`) === 1 ? 1 : 0);
  const added = {
    unconfirmed: facts.isExempt ? 0 : off,
    logins: isNew ? 1 : 0,
    blocks: isFirstOf("block"),
    wideBlocks: isFirstOf("wide_block"),
  };
  counters.add(totalCounters(deps, now, facts.country, added));
}

function proofOf(facts: LimitFacts, { deviceDigest }: ProvenBy): Proof {
  if (deviceDigest === undefined) return { verify: 1 };
  const isOwn = deviceDigest === facts.deviceDigest;
  // A known device makes no other device known: each one would bring another one.
  if (facts.knownDevice !== undefined && !isOwn) return { login: 1 };
  return { login: 1, newestPlace: 1, place: facts.newestPlace + 1 - (isOwn ? facts.devicePlace : 0) };
}

/**
 * Subtracts a login whose code was delivered on no channel from its blocks and its country: nobody could have entered that code. It stays
 * on its address and network, which a report of the service does not name. A number is subtracted once a day, and a block as often as it
 * may have unconfirmed logins, because a carrier may report failures of texts that it is paid for.
 *
 * @throws {@link DoorcodeError} `store_unavailable`
 */
export async function countUndelivered(deps: LimitDeps, { e164, country = "" }: PhoneNumber): Promise<void> {
  const { clock, keys, counters } = deps;
  const now = clock.now();
  const [ofNumber] = (
    await counters.increment([undeliveredCounter(deps, "number", keys.fingerprint(e164), now)])
  ).values();
  if (!ofNumber?.granted) return;
  counters.add(totalCounters(deps, now, country, { unconfirmed: -1 }));
  const blocks = groupsOf(e164, unknownClient).filter(isBlock);
  const answers = await counters.increment(blocks.map(({ kind, name }) => undeliveredCounter(deps, kind, name, now)));
  const takenOff = blocks.filter(({ kind }) => answers.get(`${kind}.undelivered.today`)?.granted);
  await counters.increment(takenOff.map((block) => unconfirmedCounter(deps, block, -1)));
}

/**
 * Returns the time since a login, a link or a step-up has proven a number; `undefined` if none has that the kit remembers.
 *
 * @throws DoorcodeError `store_unavailable`
 */
export async function lastProvenSecondsAgo(deps: LimitDeps, phone: string): Promise<number | undefined> {
  const answers = await deps.counters.increment(historyCounters(deps, deps.keys.fingerprint(phone)));
  return provenSecondsAgo(answers, "proven.last");
}

/** Tells whether a device is one of the last eight that proved a number. @throws DoorcodeError `store_unavailable` */
export async function isKnownDevice(deps: LimitDeps, phone: string, deviceDigest: string): Promise<boolean> {
  const history = historyCounters(deps, deps.keys.fingerprint(phone), deviceDigest);
  return hasKnownPlace(await deps.counters.increment(history));
}

/** Forgets the proofs and devices of a number that may get another owner. @throws DoorcodeError `store_unavailable` */
export async function forgetNumber(deps: LimitDeps, phone: string): Promise<void> {
  // After eight more places no device is known.
  const history = historyCounters(deps, deps.keys.fingerprint(phone), undefined, { newestPlace: maxKnownDevices });
  await deps.store.increment(history.map((counter) => (counter.by > 0 ? counter : emptied(counter))));
}
