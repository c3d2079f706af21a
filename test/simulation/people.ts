import type { Gate, SentCode } from "./gate.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** A country with its numbers: blocks of ten thousand, a hundred of them in a wide block. */
export interface Country {
  readonly code: string;
  readonly callingCode: string;
  /** Logins on an ordinary day. */
  readonly loginsPerDay: number;
  readonly blocks: number;
}

/** How honest people behave. */
export interface Habits {
  readonly countries: readonly Country[];
  /** The part of people who enter the code that they get. */
  readonly finish: number;
  /** The part of logins by people who have never logged in. */
  readonly newcomers: (seconds: number) => number;
  /** The factor on the logins of a day. */
  readonly activity: (seconds: number) => number;
  /** What happens to the codes that are sent now. */
  readonly delivery: (seconds: number) => "delivered" | "lost" | "failed";
  /** The part of people behind the shared addresses of a few mobile carriers. */
  readonly carrierNat: number;
  /** An office whose people all log in on the first measured morning, from one address, with new numbers. */
  readonly office: { readonly people: number; readonly atSeconds: number } | undefined;
  /** People whose numbers strangers ask codes for: on each day of the attack they log in on their own device, and once on a new one. */
  readonly victims: readonly string[];
  /** Whether people have logged in before the world begins. */
  readonly hasPast: boolean;
}

/** What is counted of honest people. */
export interface PeopleCount {
  logins: number;
  refused: number;
  /** The same, of people whose block is not attacked. */
  loginsElsewhere: number;
  refusedElsewhere: number;
  readonly refusedBy: Map<string, number>;
  /** The same, from ten minutes after the end of the attack or the outage. */
  readonly afterwards: Share;
  /** The logins of victims on the device that they always use, and on a new one. */
  readonly ownDevice: Share;
  readonly newDevice: Share;
}

/** Logins, and how many of them were refused. */
export interface Share {
  logins: number;
  refused: number;
}

/** Counts nothing yet. */
export function createPeopleCount(): PeopleCount {
  return {
    logins: 0,
    refused: 0,
    loginsElsewhere: 0,
    refusedElsewhere: 0,
    refusedBy: new Map(),
    afterwards: { logins: 0, refused: 0 },
    ownDevice: { logins: 0, refused: 0 },
    newDevice: { logins: 0, refused: 0 },
  };
}

/** Returns the beginning of the numbers of a block. */
export function blockOf({ callingCode }: Pick<Country, "callingCode">, index: number): string {
  const wide = 100 + Math.floor(index / 100);
  return `+${callingCode}1${wide}${String(index % 100).padStart(2, "0")}`;
}

const daySeconds = 86_400;
const natAddresses = 20;
const recoverySeconds = 600;
/** The part of people who solve a challenge. */
const solvesChallenge = 0.98;
/** A code is asked for at least so often, so that a change of activity is noticed. */
const maxPauseSeconds = 600;

/** Everything that honest people need. */
export interface PeopleDeps {
  readonly world: World;
  readonly random: Random;
  readonly gate: Gate;
  readonly habits: Habits;
  /** The beginnings of the numbers that an attacker has. */
  readonly attackedBlocks: ReadonlySet<string>;
  readonly count: PeopleCount;
  /** Counts from here. */
  readonly measureFromSeconds: number;
  /** The end of the attack or the outage. */
  readonly endsSeconds: number;
}

/** Lets honest people log in, from now on. */
export async function addPeople(deps: PeopleDeps): Promise<void> {
  const { world, random, habits } = deps;
  for (const country of habits.countries) {
    const known = await createKnownNumbers(deps, country);
    const perSecond = (country.loginsPerDay / daySeconds) * 1.8;
    const next = () => {
      const factor = habits.activity(world.now());
      const pause = random.secondsUntilNext(perSecond * Math.max(factor, 1e-9));
      world.at(world.now() + Math.min(pause, maxPauseSeconds), async () => {
        const isAwake = random.chance(dailyRhythm(world.now()) / 1.8);
        if (pause <= maxPauseSeconds && isAwake) await logIn(deps, country, known);
        next();
      });
    };
    next();
  }
  addOffice(deps);
  addVictims(deps);
}

/** People sleep: few log in at night, most of them in the afternoon. */
function dailyRhythm(seconds: number): number {
  return 1 + 0.8 * Math.sin(2 * Math.PI * ((seconds % daySeconds) / daySeconds - 0.3));
}

/** Returns the numbers of people who have logged in before, and has each of them proven once. */
async function createKnownNumbers({ random, gate, habits }: PeopleDeps, country: Country): Promise<string[]> {
  if (!habits.hasPast) return [];
  const known = Array.from({ length: country.loginsPerDay * 10 }, () => newNumber(random, country));
  for (const [index, phone] of known.entries()) {
    // From everywhere, so that no address is known for it.
    const address = `past-${index}`;
    const sent = await gate.request({
      phone,
      country: country.code,
      address,
      network: address,
      device: deviceOf(phone),
    });
    if ("confirm" in sent) await sent.confirm();
  }
  return known;
}

function newNumber(random: Random, country: Country): string {
  return blockOf(country, random.integer(country.blocks)) + String(random.integer(10_000)).padStart(4, "0");
}

async function logIn(deps: PeopleDeps, country: Country, known: string[]): Promise<void> {
  const { world, random, habits } = deps;
  const isNew = known.length === 0 || random.chance(habits.newcomers(world.now()));
  const phone = isNew ? newNumber(random, country) : random.oneOf(known);
  if (isNew) known.push(phone);
  const nat = random.integer(natAddresses);
  const home = `home-${random.integer(1e9)}`;
  const isBehindNat = random.chance(habits.carrierNat);
  const client = isBehindNat
    ? { address: `nat-${country.code}-${nat}`, network: `nat-${country.code}-${nat >> 2}` }
    : { address: home, network: `homes-${random.integer(3000)}` };
  // Some people have a new phone, or use another browser.
  const device = isNew || random.chance(0.85) ? deviceOf(phone) : `new-${random.integer(1e9)}`;
  await askForCode(deps, { phone, country: country.code, device, ...client });
}

function deviceOf(phone: string): string {
  return `of${phone}`;
}

interface Person {
  readonly device: string;
  readonly phone: string;
  readonly country: string;
  readonly address: string;
  readonly network: string;
}

async function askForCode(deps: PeopleDeps, person: Person): Promise<void> {
  const { random, gate } = deps;
  const sent = await gate.request({ ...person, solves: random.chance(solvesChallenge) });
  note(deps, person, "refusedBy" in sent ? sent.refusedBy : undefined);
  if (!("refusedBy" in sent)) waitForCode(deps, sent, 1);
}

function waitForCode(deps: PeopleDeps, sent: SentCode, codes: number): void {
  const { world, random, habits } = deps;
  const now = world.now();
  const delivery = habits.delivery(now);
  if (delivery === "failed") world.at(now + 20, sent.fail);
  if (delivery === "delivered") {
    if (random.chance(habits.finish)) world.at(now + 5 + random.fraction() * 55, () => sent.confirm());
    return;
  }
  // Half of the people whose code does not come ask again, at most twice.
  if (codes >= 3 || !random.chance(0.5)) return;
  world.at(now + 120, async () => {
    const again = await sent.resend();
    if (!("refusedBy" in again)) waitForCode(deps, again, codes + 1);
  });
}

function note(
  { world, attackedBlocks, count, measureFromSeconds, endsSeconds }: PeopleDeps,
  person: Person,
  refusedBy?: string,
): void {
  if (world.now() < measureFromSeconds) return;
  const isElsewhere = !attackedBlocks.has(person.phone.slice(0, -4));
  count.logins++;
  if (isElsewhere) count.loginsElsewhere++;
  const isAfterwards = world.now() >= endsSeconds + recoverySeconds;
  if (isAfterwards) count.afterwards.logins++;
  if (refusedBy === undefined) return;
  count.refused++;
  if (isElsewhere) count.refusedElsewhere++;
  count.refusedBy.set(refusedBy, (count.refusedBy.get(refusedBy) ?? 0) + 1);
  if (isAfterwards) count.afterwards.refused++;
}

function addOffice(deps: PeopleDeps): void {
  const { world, random, habits } = deps;
  const [country] = habits.countries;
  if (!habits.office || !country) return;
  for (let person = 0; person < habits.office.people; person++) {
    const phone = newNumber(random, country);
    world.at(habits.office.atSeconds + random.fraction() * 1800, () =>
      askForCode(deps, { phone, country: country.code, device: deviceOf(phone), address: "office", network: "office" }),
    );
  }
}

const daysBefore = 5;
const loginsOfVictim = 4;

function addVictims({ world, random, gate, habits, count, measureFromSeconds, endsSeconds }: PeopleDeps): void {
  const [country] = habits.countries;
  if (!country) return;
  for (const phone of habits.victims) {
    const own = {
      phone,
      country: country.code,
      device: deviceOf(phone),
      address: `at-home-${phone}`,
      network: "homes",
    };
    const logInAs = (person: Person, share?: Share) => async () => {
      const sent = await gate.request({ ...person, solves: random.chance(solvesChallenge) });
      if (share) share.logins++;
      if ("confirm" in sent) await sent.confirm();
      else if (share) share.refused++;
    };
    world.at(measureFromSeconds - daysBefore * daySeconds, logInAs(own));
    for (let day = measureFromSeconds; day < endsSeconds; day += daySeconds) {
      for (let login = 0; login < loginsOfVictim; login++) {
        world.at(day + random.fraction() * daySeconds, logInAs(own, count.ownDevice));
      }
      const onNewDevice = { ...own, device: `new-${day}-of${phone}`, address: `away-${phone}` };
      world.at(day + random.fraction() * daySeconds, logInAs(onNewDevice, count.newDevice));
    }
  }
}
