import type { Attack } from "./attack.ts";
import { blockOf, type Country, type Habits } from "./people.ts";

/** One simulated story: weeks of ordinary life, and then what is measured. */
export interface Scenario {
  readonly title: string;
  readonly habits: Habits;
  readonly attacks: readonly Attack[];
  /** The end of an outage, or of the last attack if there is one. */
  readonly endsSeconds?: number;
  /** Whether the app asks unknown devices for a challenge, which attackers do not solve. */
  readonly hasChallenge?: boolean;
  /** The measured days, after the weeks before. */
  readonly days: number;
}

const daySeconds = 86_400;
/** Weeks of ordinary life come first. */
export const pastSeconds: number = 21 * daySeconds;

const large: Country = { code: "DE", callingCode: "49", loginsPerDay: 2000, blocks: 20_000 };
const small: Country = { code: "AT", callingCode: "43", loginsPerDay: 150, blocks: 1200 };
const dense: Country = { code: "IS", callingCode: "354", loginsPerDay: 800, blocks: 60 };

const ordinary: Habits = {
  countries: [large, small],
  finish: 0.85,
  newcomers: () => 0.2,
  activity: () => 1,
  delivery: () => "delivered",
  carrierNat: 0.4,
  office: undefined,
  victims: [],
  hasPast: true,
};

/** Returns a function of time with one value between two hours of the first measured day, and another one elsewhere. */
function between<Value>(fromHour: number, toHour: number, inside: Value, outside: Value): (seconds: number) => Value {
  const [from, to] = [pastSeconds + fromHour * 3600, pastSeconds + toHour * 3600];
  return (seconds) => (seconds >= from && seconds < to ? inside : outside);
}

const outageEnds = pastSeconds + 12.67 * 3600;
const peak = { activity: between(12, 14, 20, 1), newcomers: between(12, 14, 0.9, 0.2) };
const launch = { activity: between(0, 24 * 365, 1, 0), newcomers: () => 0.7, hasPast: false };

const attack: Attack = {
  country: large,
  fromSeconds: pastSeconds,
  toSeconds: pastSeconds + daySeconds,
  codesPerDay: 5000,
  blocks: 40,
  firstBlock: 300,
  blocksApart: 1,
  confirm: 0,
  addresses: 100_000,
  networks: 100_000,
  reuse: 0,
  mintsDevices: false,
  keptDevices: 0,
  resends: 0,
  adapts: false,
};

function attackFor(days: number, changes: Partial<Attack>): readonly Attack[] {
  return [{ ...attack, toSeconds: pastSeconds + days * daySeconds, ...changes }];
}

/** Numbers far apart, in blocks in which nobody else is attacked. */
const victims = Array.from({ length: 50 }, (_, person) => `${blockOf(large, 137 * person)}4242`);

/** Honest people alone, as they usually are and at their most unusual. */
export const honest: readonly Scenario[] = [
  { title: "a week in which 95 % enter their code", habits: { ...ordinary, finish: 0.95 }, attacks: [], days: 7 },
  { title: "a week in which 85 % do", habits: ordinary, attacks: [], days: 7 },
  { title: "a week in which 70 % do", habits: { ...ordinary, finish: 0.7 }, attacks: [], days: 7 },
  { title: "a small country with dense numbers", habits: { ...ordinary, countries: [dense] }, attacks: [], days: 7 },
  {
    title: "a launch from nothing, 5,000 logins a day",
    habits: { ...ordinary, ...launch, countries: [{ ...large, loginsPerDay: 5000 }] },
    attacks: [],
    days: 3,
  },
  {
    title: "a launch in the dense country",
    habits: { ...ordinary, ...launch, countries: [dense] },
    attacks: [],
    days: 3,
  },
  { title: "a peak of 20 times for two hours", habits: { ...ordinary, ...peak }, attacks: [], days: 1 },
  {
    title: "the same in the dense country",
    habits: { ...ordinary, ...peak, countries: [dense] },
    attacks: [],
    days: 1,
  },
  {
    title: "an office of 300 behind one address",
    habits: { ...ordinary, office: { people: 300, atSeconds: pastSeconds + 8 * 3600 } },
    attacks: [],
    days: 1,
  },
  {
    title: "40 minutes without delivery",
    habits: { ...ordinary, delivery: between(12, 12.67, "lost", "delivered") },
    attacks: [],
    endsSeconds: outageEnds,
    days: 1,
  },
  {
    title: "40 minutes in which the service reports each code as failed",
    habits: { ...ordinary, delivery: between(12, 12.67, "failed", "delivered") },
    attacks: [],
    endsSeconds: outageEnds,
    days: 1,
  },
  {
    title: "40 minutes without delivery in the dense country",
    habits: { ...ordinary, countries: [dense], delivery: between(12, 12.67, "lost", "delivered") },
    attacks: [],
    endsSeconds: outageEnds,
    days: 1,
  },
];

/** Attackers among honest people. */
export const attacked: readonly Scenario[] = [
  {
    title: "a code a second for 12 h, one address",
    habits: ordinary,
    attacks: attackFor(0.5, { codesPerDay: 86_400, addresses: 1, networks: 1 }),
    days: 1,
  },
  {
    title: "the same, many addresses",
    habits: ordinary,
    attacks: attackFor(0.5, { codesPerDay: 86_400 }),
    days: 1,
  },
  {
    title: "the same, 400 blocks over the whole country",
    habits: ordinary,
    attacks: attackFor(0.5, { codesPerDay: 86_400, blocks: 400, firstBlock: 0, blocksApart: 50 }),
    days: 1,
  },
  { title: "40 blocks, 5,000 codes a day", habits: ordinary, attacks: attackFor(1, {}), days: 1 },
  {
    title: "the same in the small country",
    habits: ordinary,
    attacks: attackFor(1, { country: small }),
    days: 1,
  },
  {
    title: "40 blocks, 5,000 logins a day, four resends each",
    habits: ordinary,
    attacks: attackFor(1, { resends: 4 }),
    days: 1,
  },
  {
    title: "numbers of other people, 5,000 logins a day with four resends each",
    habits: ordinary,
    attacks: attackFor(1, { resends: 4, blocks: 20_000, firstBlock: 0, addresses: 1000, networks: 1000 }),
    days: 1,
  },
  {
    title: "slow: 400 blocks, 1,000 codes a day",
    habits: ordinary,
    attacks: attackFor(7, { codesPerDay: 1000, blocks: 400 }),
    days: 7,
  },
  {
    title: "the same, over the whole country",
    habits: ordinary,
    attacks: attackFor(7, { codesPerDay: 1000, blocks: 400, firstBlock: 0, blocksApart: 50 }),
    days: 7,
  },
  {
    title: "slow: 5,000 addresses, 72 codes each in three days",
    habits: ordinary,
    attacks: attackFor(3, { codesPerDay: 120_000, addresses: 5000, networks: 5000 }),
    days: 3,
  },
  {
    title: "one rogue network of a million numbers",
    habits: ordinary,
    attacks: attackFor(3, { codesPerDay: 3000, blocks: 100, firstBlock: 500 }),
    days: 3,
  },
  { title: "15 % of the codes confirmed", habits: ordinary, attacks: attackFor(3, { confirm: 0.15 }), days: 3 },
  { title: "60 % of the codes confirmed", habits: ordinary, attacks: attackFor(3, { confirm: 0.6 }), days: 3 },
  {
    title: "the same, with proven numbers again",
    habits: ordinary,
    attacks: attackFor(7, { confirm: 0.6, reuse: 0.5 }),
    days: 7,
  },
  {
    title: "the same, 40 blocks far apart",
    habits: ordinary,
    attacks: attackFor(7, { confirm: 0.6, reuse: 0.5, blocksApart: 100 }),
    days: 7,
  },
  {
    title: "all codes confirmed, with proven numbers again, each time on a device that is known",
    habits: ordinary,
    attacks: attackFor(7, { confirm: 1, reuse: 0.9, mintsDevices: true }),
    days: 7,
  },
  {
    title: "an attacker who waits where it is refused",
    habits: ordinary,
    attacks: attackFor(3, { blocks: 400, adapts: true }),
    days: 3,
  },
  {
    title: "a rotating /64 and /48",
    habits: ordinary,
    attacks: attackFor(1, { codesPerDay: 20_000, addresses: 1_000_000, networks: 65_536 }),
    days: 1,
  },
  {
    title: "100,000 numbers of honest people, 1,000 addresses",
    habits: ordinary,
    attacks: attackFor(3, {
      codesPerDay: 33_000,
      blocks: 20_000,
      firstBlock: 0,
      addresses: 1000,
      networks: 1000,
    }),
    days: 3,
  },
  {
    title: "codes for the numbers of 50 people, one every 12 minutes for each, for three days",
    habits: { ...ordinary, victims },
    attacks: attackFor(3, { codesPerDay: 50 * 120, victims }),
    days: 3,
  },
  {
    title: "the same, with four resends each",
    habits: { ...ordinary, victims },
    attacks: attackFor(3, { codesPerDay: 50 * 120, victims, resends: 4 }),
    days: 3,
  },
  {
    title: "the same, by former holders who have kept eight devices",
    habits: { ...ordinary, victims },
    attacks: attackFor(3, { codesPerDay: 50 * 120, victims, keptDevices: 8 }),
    days: 3,
  },
  {
    title: "codes for the numbers of 50 people, with a challenge",
    habits: { ...ordinary, victims },
    attacks: attackFor(3, { codesPerDay: 50 * 120, victims }),
    hasChallenge: true,
    days: 3,
  },
];
