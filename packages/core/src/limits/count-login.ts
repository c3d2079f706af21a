import type { PhoneNumber } from "../phone/phone-number.ts";
import type { Clock } from "../util/clock.ts";
import type { CodeKeys } from "../util/keys.ts";
import { type CountedLogin, isKnown, type ProvenBy } from "./counted-login.ts";
import { type Answers, type Counter, type CounterDeps, countOf } from "./counter.ts";
import {
  addressFailureBudgets,
  deviceCounters,
  groupLoginCounters,
  provenCounters,
  totalCounters,
  unconfirmedCounter,
  undeliveredCounters,
} from "./counter-table.ts";
import { blocksOf, type GroupKind, groupsOf } from "./groups.ts";
import type { SharedCounters } from "./shared-counters.ts";

/** The dependencies of counting. */
interface CountDeps extends CounterDeps {
  readonly clock: Clock;
  readonly keys: Pick<CodeKeys, "fingerprint">;
  readonly counters: SharedCounters;
}

/** Wrong codes that a right one from the same address outweighs: people behind one address mistype, and most of them log in. */
const outweighed = 2;

/**
 * Counts a login as confirmed, in one call of the store, and remembers what it has proven.
 *
 * @param provenBy - `undefined` for a login that the app has refused. Else the next login from there would be one of a known device.
 */
export async function countConfirmed(
  deps: CountDeps,
  phone: string,
  counted: CountedLogin,
  provenBy: ProvenBy | undefined,
): Promise<void> {
  const { clock, keys, counters } = deps;
  const now = clock.now();
  const groups = groupsOf({ ...counted, phone });
  // People who log in show that a group is one of people, each once a day. Later logins take off what they have added.
  const isNew = provenBy !== undefined && !counted.provenToday;
  const off = -counted.added - (isNew ? 1 : 0);
  const failures = addressFailureBudgets(deps, counted.address, counted.knownDevice);
  const answers = await counters.increment([
    ...groups.map((group) => unconfirmedCounter(deps, group, off)),
    ...(isNew ? groups.flatMap((group) => groupLoginCounters(deps, group, now, 1)) : []),
    ...(provenBy ? provenBySuccess(deps, keys.fingerprint(phone), counted, provenBy) : []),
    ...failures.map((budget) => ({ ...budget, by: -outweighed })),
  ]);
  const isFirstOf = (kind: "block" | "wide_block") => (isNew && countOf(answers, `${kind}.today`) === 1 ? 1 : 0);
  const added = {
    unconfirmed: isKnown(counted) ? 0 : off,
    logins: isNew ? 1 : 0,
    blocks: isFirstOf("block"),
    wideBlocks: isFirstOf("wide_block"),
  };
  counters.add(totalCounters(deps, counted.country, now, added));
}

function provenBySuccess(
  deps: CountDeps,
  phoneFingerprint: string,
  counted: CountedLogin,
  { device }: ProvenBy,
): readonly Counter[] {
  if (device === undefined) return provenCounters(deps, phoneFingerprint, "verify");
  const proven = provenCounters(deps, phoneFingerprint, "login");
  const isOwn = device === counted.device;
  // A known device makes no other device known: each one would bring another one.
  if (counted.knownDevice !== undefined && !isOwn) return proven;
  const place = counted.newestPlace + 1 - (isOwn ? counted.devicePlace : 0);
  return [...proven, ...deviceCounters(deps, phoneFingerprint, device, { newestPlace: 1, place })];
}

/**
 * Counts that the service could not deliver a code to a number, once a day for the number, and for a block as often as it may have
 * unconfirmed logins.
 */
export async function countUndelivered(deps: CountDeps, { e164, country = "" }: PhoneNumber): Promise<void> {
  const { clock, keys, counters } = deps;
  const now = clock.now();
  const blocks = blocksOf(e164);
  const [ofNumber, ...ofBlocks] = undeliveredCounters(deps, keys.fingerprint(e164), blocks, now);
  if (!isGranted(await counters.increment([ofNumber]), "number")) return;
  counters.add(totalCounters(deps, country, now, { unconfirmed: -1 }));
  const answers = await counters.increment(ofBlocks);
  const takenOff = blocks.filter(({ rule }) => isGranted(answers, rule.kind));
  if (takenOff.length > 0) await counters.increment(takenOff.map((block) => unconfirmedCounter(deps, block, -1)));
}

function isGranted(answers: Answers, of: "number" | GroupKind): boolean {
  return answers.get(`${of}.undelivered`)?.granted === true;
}
