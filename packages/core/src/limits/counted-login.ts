import type { PhoneNumber } from "../phone/phone-number.ts";
import type { CounterChange, Store } from "../store/store.ts";
import type { Clock } from "../util/clock.ts";
import type { CodeKeys } from "../util/keys.ts";
import type { BudgetDeps } from "./budgets.ts";
import type { CountryTotals } from "./country-totals.ts";
import { outweighingChanges } from "./failures.ts";
import { balanceChanges, loginQuery } from "./group-counters.ts";
import { blocksOf, groupsOf } from "./groups.ts";
import { type DevicePlaces, deviceChanges, type KnownDevice } from "./known-devices.ts";
import { ofDay, periodsOf } from "./periods.ts";
import { numberPastQuery } from "./proven-numbers.ts";
import { askTogether } from "./query.ts";

/** What a login has added to the counters, kept in its transaction until it is confirmed. */
export interface CountedLogin extends DevicePlaces {
  readonly country: string;
  /** The fingerprints of the client's address and network. */
  readonly address: string;
  readonly network: string;
  /** True for a number or a device that was proven before, and is not limited by its groups. */
  readonly known: boolean;
  /** True for a number that was proven a day ago or longer. */
  readonly knownNumber: boolean;
  /** The device, if it has proven the number before: then failures of its own count. */
  readonly knownDevice?: KnownDevice | undefined;
  /** The number of codes that count in the groups: the first one, and each one after the second. */
  readonly added: number;
  /** True if the number was already proven within a day: a person counts once a day. */
  readonly provenToday: boolean;
  /** When the number was last proven, as Unix milliseconds; `undefined` if it never was, or longer ago than the kit remembers. */
  readonly lastProvenAt?: number | undefined;
}

/** The dependencies of counting. */
interface CountDeps extends BudgetDeps {
  readonly prefix: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: Pick<CodeKeys, "fingerprint">;
  readonly totals: CountryTotals;
}

/** What a confirmed login proves: a number by a device, or, if the app has refused it, nothing. */
export interface ProvenBy {
  /** The digest of the device's id. A `verify` has none: it belongs to no user, so no device becomes that of one. */
  readonly device?: string;
}

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
  const { prefix, store, clock, keys, totals } = deps;
  const groups = groupsOf({ ...counted, phone });
  const phoneFingerprint = keys.fingerprint(phone);
  const isNew = provenBy !== undefined && !counted.provenToday;
  // People who log in show that a group is one of people, each once a day. Later logins take off what they have added.
  const off = -counted.added - (isNew ? 1 : 0);
  const periods = periodsOf(clock.now());
  const remembered = provenBy ? rememberedChanges(prefix, phoneFingerprint, counted, provenBy) : [];
  const logins = isNew ? groups.map((group) => loginQuery(prefix, group, periods)) : [];
  const outweighed = outweighingChanges(deps, counted.address, counted.knownDevice);
  const others = [...balanceChanges(prefix, groups, off), ...remembered, ...outweighed];
  const [block, wideBlock] = await askTogether(store, [
    ...logins,
    { changes: others, read: () => ({ isFirst: false }) },
  ]);
  totals.add(counted.country, {
    unconfirmed: counted.known ? 0 : off,
    logins: isNew ? 1 : 0,
    blocks: isNew && block?.isFirst ? 1 : 0,
    wideBlocks: isNew && wideBlock?.isFirst ? 1 : 0,
  });
}

function rememberedChanges(
  prefix: string,
  phoneFingerprint: string,
  counted: CountedLogin,
  { device }: ProvenBy,
): readonly CounterChange[] {
  if (device === undefined) return numberPastQuery(prefix, phoneFingerprint, "verify").changes;
  const past = numberPastQuery(prefix, phoneFingerprint, "login").changes;
  // A known device makes no other device known: each one would bring another one.
  const isAnother = counted.knownDevice !== undefined && device !== counted.device;
  return isAnother ? past : [...past, ...deviceChanges(prefix, phoneFingerprint, device, counted)];
}

/**
 * Counts that the service could not deliver a code to a number, once a day for the number, and for a block as often as it may have
 * unconfirmed logins.
 */
export async function countUndelivered(
  { prefix, store, clock, keys, totals }: CountDeps,
  { e164, country = "" }: PhoneNumber,
): Promise<void> {
  const { day } = periodsOf(clock.now());
  const undelivered = (name: string, limit: number) => ({
    ...ofDay(`${prefix}:undelivered:${name}`, day, 1),
    limit,
  });
  const [ofNumber] = await store.increment([undelivered(keys.fingerprint(e164), 1)]);
  if (!ofNumber?.granted) return;
  totals.add(country, { unconfirmed: -1 });
  const blocks = blocksOf(e164);
  const granted = await store.increment(
    blocks.map(({ rule, name }) => undelivered(`${rule.kind}:${name}`, rule.unconfirmed)),
  );
  const takenOff = blocks.filter((_, index) => granted[index]?.granted);
  if (takenOff.length > 0) await store.increment(balanceChanges(prefix, takenOff, -1));
}
