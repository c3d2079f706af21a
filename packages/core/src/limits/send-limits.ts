import type { ClientAddress } from "../util/client.ts";
import { closeGroup } from "./closed-groups.ts";
import {
  closedCounters,
  countersOf,
  groupsOf,
  isBlock,
  type LimitDeps,
  sendCounters,
  totalCounters,
  unconfirmedCounter,
} from "./counter-table.ts";
import { type Counter, countOf } from "./counters.ts";
import { decide } from "./decide.ts";
import type { Decision, Group, LimitFacts, LimitRequest } from "./decision.ts";

/** A code that is to be sent. */
export interface LimitedCode {
  readonly phone: string;
  readonly country: string;
  readonly client: ClientAddress;
  /** The digest of the id in the device's cookie. */
  readonly deviceDigest?: string | undefined;
  /** The newest code that the login has had; `undefined` for its first one. */
  readonly before?: { readonly facts: LimitFacts; readonly sends: number } | undefined;
  /** True if the app's `beforeSend` decides too. Group limits then also apply to known numbers. */
  readonly asksApp?: boolean;
  /** True if the app trusts the login against its groups. */
  readonly isTrusted?: boolean;
}

/**
 * Decides about a code without a trace: nothing is counted.
 *
 * @throws {@link DoorcodeError} `store_unavailable`
 */
export function readCode(deps: LimitDeps, code: LimitedCode): Promise<Decision> {
  return countAndDecide(deps, requestOf(deps, code, 0));
}

/**
 * Reserves a code that {@link readCode} has let pass. Give back what it has added if it is refused all the same, or not sent.
 *
 * @throws {@link DoorcodeError} `store_unavailable`
 */
export function countCode(deps: LimitDeps, code: LimitedCode): Promise<Decision> {
  return countAndDecide(deps, requestOf(deps, code, 1));
}

/**
 * Reads what a code would meet, and counts it only if it may be sent. A refused code that was counted for a moment would refuse others
 * meanwhile: a flood of such codes would close a number, a block or a ceiling without a text.
 *
 * @throws {@link DoorcodeError} `store_unavailable`
 */
export async function reserveCode(deps: LimitDeps, code: LimitedCode): Promise<Decision> {
  const request = requestOf(deps, code, 0);
  const read = await countAndDecide(deps, request);
  return read.refused ? read : countAndDecide(deps, { ...request, by: 1 });
}

/**
 * The first resend adds nothing to the groups of a login, and each later one adds as much as a login. While a group of the login is closed,
 * it gets no code.
 */
function requestOf(deps: LimitDeps, code: LimitedCode, by: 0 | 1): LimitRequest {
  const { phone, country, client, deviceDigest, before, asksApp = false, isTrusted = false } = code;
  const common = { now: deps.clock.now(), phoneFingerprint: deps.keys.fingerprint(phone), by, asksApp, isTrusted };
  if (before) {
    const { facts: login, sends } = before;
    return { ...common, ...login, login, groups: groupsOf(phone, login), added: sends < 2 ? 0 : 1 };
  }
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
