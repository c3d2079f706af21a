import type { PhoneNumber } from "../phone/phone-number.ts";
import { unknownClient } from "../util/client.ts";
import {
  addressFailureBudgets,
  groupLoginCounters,
  groupsOf,
  historyCounters,
  isBlock,
  type LimitDeps,
  maxKnownDevices,
  type Proof,
  totalCounters,
  unconfirmedCounter,
  undeliveredCounter,
} from "./counter-table.ts";
import { countOf, emptied } from "./counters.ts";
import { hasKnownPlace, provenSecondsAgo } from "./decide.ts";
import type { LimitFacts } from "./decision.ts";

/*
 * What became of a code that was sent: its login was confirmed, or no channel could deliver it. And what the limits remember of a number
 * after that.
 */

/** Wrong codes that a right one from the same address outweighs: people behind one address mistype, and most of them log in. */
const outweighed = 2;

/**
 * Counts a login as confirmed, in one call of the store, and remembers what it has proven. A login that the app has refused proves nothing:
 * else the next login from there would be one of a known device.
 *
 * @param proof - `undefined` for a refused login. A `verify` has no device: it belongs to no user, so no device becomes that of one.
 * @throws {@link DoorcodeError} `store_unavailable`
 */
export async function countConfirmed(
  deps: LimitDeps,
  phone: string,
  facts: LimitFacts,
  proof: { readonly deviceDigest?: string } | undefined,
): Promise<void> {
  const { clock, keys, counters } = deps;
  const now = clock.now();
  const groups = groupsOf(phone, facts);
  // People who log in show that a group is one of people, each once a day. Later logins take off what they have added.
  const isNew = proof !== undefined && !facts.provenToday;
  const off = -facts.added - (isNew ? 1 : 0);
  const failures = addressFailureBudgets(deps, facts.address, facts.knownDevice);
  const answers = await counters.increment([
    ...groups.map((group) => unconfirmedCounter(deps, group, off)),
    ...(isNew ? groups.flatMap((group) => groupLoginCounters(deps, group, now, 1)) : []),
    ...(proof
      ? historyCounters(deps, keys.fingerprint(phone), proof.deviceDigest, proofOf(facts, proof.deviceDigest))
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

function proofOf(facts: LimitFacts, deviceDigest: string | undefined): Proof {
  if (deviceDigest === undefined) return { verify: 1 };
  const isOwn = deviceDigest === facts.deviceDigest;
  // A known device makes no other device known: each one would bring another one.
  if (facts.knownDevice !== undefined && !isOwn) return { login: 1 };
  // A device whose id came only with the code may have a place already, and keeps it: with the sum it would be known again after as many
  // logins of others.
  const maxPlace = facts.newestPlace + 1;
  return { login: 1, newestPlace: 1, place: maxPlace - (isOwn ? facts.devicePlace : 0), maxPlace };
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
