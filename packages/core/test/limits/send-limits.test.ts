import { setImmediate } from "node:timers/promises";
import { createMemoryStore, type DoorcodeError, type LoginLimits } from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import { createManualClock, type ManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../../../../test/support/barrier.ts";
import { countConfirmed, countUndelivered, forgetNumber } from "../../src/limits/after-sending.ts";
import { listClosedGroups } from "../../src/limits/closed-groups.ts";
import type { LimitDeps } from "../../src/limits/counter-table.ts";
import { createCounters } from "../../src/limits/counters.ts";
import type { LimitFacts, SendDecision } from "../../src/limits/decision.ts";
import { loginLimitsShape } from "../../src/limits/login-limits.ts";
import { countForClient, giveBackCode, type LimitedCode, readCode, reserveCode } from "../../src/limits/send-limits.ts";
import { unknownClient } from "../../src/util/client.ts";

const hour = 3600;
const day = 24 * hour;

const defaults: LoginLimits = { ...loginLimitsShape.parse({}), mode: "enforce" };

interface Setup {
  readonly clock: ManualClock;
  readonly deps: LimitDeps;
  readonly decisions: readonly SendDecision[];
  /** Asks for a code from an address of its own, unless told otherwise. Returns the refusal's code, or what was counted. */
  ask(login: Partial<LimitedCode> & { readonly phone: string }): Promise<LimitFacts | string>;
  /** Asks so often, for other numbers of the block each time, and returns how many codes were allowed. */
  askOften(times: number, login?: (index: number) => Partial<LimitedCode>): Promise<number>;
  logIn(login: Partial<LimitedCode> & { readonly phone: string }): Promise<LimitFacts | string>;
  pass(seconds: number): Promise<void>;
  /** The refusal of the last login that was refused. */
  readonly refusal: DoorcodeError | undefined;
}

function setUp(changes: Partial<LoginLimits> = {}, maxEntries = 1_000_000): Setup {
  // The beginning of a week, as the limits count weeks.
  const clock = createManualClock(Date.UTC(2026, 8, 24));
  const store = createMemoryStore({ clock, maxEntries });
  const decisions: SendDecision[] = [];
  const keys = { fingerprint: (text: string) => text };
  const counters = createCounters({ store, clock });
  const deps = { name: "app", store, counters, clock, keys, limits: { ...defaults, ...changes } };
  let addresses = 0;
  let numbers = 0;
  let refusal: DoorcodeError | undefined;

  const ask: Setup["ask"] = async ({ phone, country = "DE", client, deviceDigest }) => {
    const address = `address-${addresses++}`;
    const asked = { phone, country, client: client ?? { address, network: address }, deviceDigest };
    const decision = await reserveCode(deps, asked);
    decisions.push(decision.event);
    if (!decision.refused) return decision.facts;
    refusal = decision.refused.error;
    await giveBackCode(deps, decision);
    return refusal.code;
  };
  return {
    clock,
    deps,
    decisions,
    ask,
    async askOften(times, login = () => ({})) {
      let allowed = 0;
      for (let index = 0; index < times; index++) {
        const asked = await ask({ phone: numberOf("+4915123", numbers++), ...login(index) });
        if (typeof asked !== "string") allowed++;
      }
      return allowed;
    },
    async logIn(login) {
      const facts = await ask(login);
      if (typeof facts === "string") return facts;
      await countConfirmed(deps, login.phone, facts, { deviceDigest: login.deviceDigest ?? "other" });
      return facts;
    },
    pass: (seconds) => clock.advance(seconds * 1000),
    get refusal() {
      return refusal;
    },
  };
}

function numberOf(block: string, index: number): string {
  return block + String(index).padStart(4, "0");
}

/** A number in a block of its own, and in a wide block of its own. */
function elsewhere(index: number): string {
  return `+49${1_000 + index}000001`;
}

describe("a block of numbers", () => {
  test("opens whole again when a week has passed since it was closed", async () => {
    const setup = setUp();
    await setup.askOften(20);
    await setup.pass(7 * day);
    expect(await setup.askOften(20)).toBe(6);
  });

  test("is one that was closed before until a week has passed since its last closing", async () => {
    const setup = setUp();
    for (let closings = 0; closings < 2; closings++) {
      await setup.askOften(20);
      await setup.pass(4 * day);
    }
    // Half of its six, for the first closing of a week ago does not count alone.
    expect(await setup.askOften(20)).toBe(3);
  });

  test("is closed once by any number of codes that are too many at the same time", async () => {
    const setup = setUp();
    await setup.askOften(6);
    await Promise.all([20, 21, 22, 23].map((person) => setup.ask({ phone: numberOf("+4915123", person) })));
    await setup.pass(hour);
    await setup.askOften(20);
    // The second time for six hours; the third and every later one for a day.
    expect(setup.decisions.at(-1)).toMatchObject({ outcome: "refused", limit: "block" });
    await setup.pass(6 * hour);
    expect(await setup.askOften(20)).toBe(3);
  });

  test("is not closed by a peak that fills the blocks of a whole country alike", async () => {
    const setup = setUp();
    const phone = (block: number, person: number) => numberOf(`+49160${100 + block}00`, person);
    for (let person = 0; person < 7 * 12; person++) {
      await setup.logIn({ phone: phone(person % 12, person) });
      await setup.pass(day / 12);
    }
    const outcomes: unknown[] = [];
    for (let person = 100; person < 130; person++) {
      for (let block = 0; block < 12; block++) outcomes.push(await setup.logIn({ phone: phone(block, person) }));
      await setup.pass(6);
    }
    expect(outcomes.filter((outcome) => typeof outcome === "string")).toEqual([]);
    // One that grows alone is closed.
    const alone = Array.from({ length: 40 }, (_, person) => ({ phone: phone(0, 1000 + person) }));
    for (const login of alone) outcomes.push(await setup.logIn(login));
    expect(setup.decisions.at(-1)).toMatchObject({ outcome: "refused", limit: "block" });
  });
});

test("a closed address opens half, also if the app has challenged a hundred of its starts meanwhile", async () => {
  const setup = setUp();
  const client = (index: number) => ({ address: "one", network: `of-${index}` });
  const login = (index: number) => ({ phone: elsewhere(index), country: `C${index % 30}`, client: client(index) });
  expect(await setup.askOften(25, login)).toBe(20);
  for (let index = 0; index < 100; index++) {
    const challenged = await readCode(setup.deps, { ...login(100 + index), asksApp: true });
    if (challenged.refused) await countForClient(setup.deps, login(100 + index).phone, challenged);
  }
  await setup.pass(hour);
  expect(await setup.askOften(25, (index) => login(200 + index))).toBe(10);
});

test("a start that the app has challenged closes its address, and not its block", async () => {
  const setup = setUp({ mode: { country: "observe" } });
  const client = { address: "one", network: "one" };
  const challenge = async (login: Partial<LimitedCode> & { readonly phone: string }) => {
    const asked = { country: "DE", client: { ...client, address: login.phone }, asksApp: true, ...login };
    const challenged = await readCode(setup.deps, asked);
    await countForClient(setup.deps, login.phone, challenged);
    return challenged.refused?.limit;
  };
  expect(await setup.askOften(6)).toBe(6);
  expect(await challenge({ phone: numberOf("+4915123", 9000) })).toMatchObject({ limit: "block", count: 7 });
  expect(await challenge({ phone: numberOf("+4915123", 9001) })).toMatchObject({ limit: "block", count: 7 });
  expect(await setup.askOften(20, (index) => ({ phone: elsewhere(index), client }))).toBe(20);
  expect(await challenge({ phone: elsewhere(100), client })).toMatchObject({ limit: "address", count: 21 });
  expect(await challenge({ phone: elsewhere(101), client })).toEqual({ limit: "address" });
});

describe("codes that are refused, while they are being decided", () => {
  /** Holds each code that is counted until the barrier opens, and counts whether any of a refused code is held. */
  async function flood(setup: Setup, times: number, login: (index: number) => LimitedCode) {
    const { store } = setup.deps;
    const gate = createBarrier();
    const slow: Store = {
      ...store,
      async increment(changes) {
        const states = await store.increment(changes);
        if (changes.some(({ by }) => by > 0)) await gate.pass();
        return states;
      },
    };
    const deps = { ...setup.deps, store: slow, counters: createCounters({ store: slow, clock: setup.clock }) };
    const codes = Array.from({ length: times }, async (_, index) => {
      const code = await reserveCode(deps, login(index));
      if (code.refused) await giveBackCode(deps, code);
      return code.refused !== undefined;
    });
    // The store is in memory: all codes are decided, or held, by then.
    await setImmediate();
    return { gate, codes };
  }

  test("L25: count in no block, so a flood from a closed address closes none", async () => {
    const setup = setUp();
    const client = { address: "closed", network: "closed" };
    await setup.askOften(21, (index) => ({ phone: elsewhere(index), client }));
    const { gate, codes } = await flood(setup, 40, (index) => {
      return { phone: numberOf("+4915123", index), country: "DE", client };
    });
    expect(await setup.ask({ phone: numberOf("+4915123", 9000) })).toMatchObject({ country: "DE" });
    gate.open();
    expect(new Set(await Promise.all(codes))).toEqual(new Set([true]));
    expect(await listClosedGroups(setup.deps)).toMatchObject([{ kind: "address", value: "closed" }]);
  });

  test("L5, L15: use up nothing of a number, so its owner gets the next code on a new device", async () => {
    const setup = setUp();
    const phone = numberOf("+4915123", 1);
    await setup.ask({ phone });
    await setup.pass(29);
    const { gate, codes } = await flood(setup, 40, (index) => {
      return { phone, country: "DE", client: { address: `of-${index}`, network: `of-${index}` } };
    });
    await setup.pass(1);
    expect(await setup.ask({ phone })).toMatchObject({ country: "DE" });
    gate.open();
    expect(new Set(await Promise.all(codes))).toEqual(new Set([true]));
  });

  test("L16: say nothing of a known number at the edge of an alert, if the app decides", async () => {
    const setup = setUp();
    const known = numberOf("+4915123", 1);
    await setup.logIn({ phone: known });
    await setup.pass(2 * day);
    const read = (phone: string) =>
      readCode(setup.deps, { phone, country: "DE", client: unknownClient, asksApp: true });
    for (let index = 0; !(await read(elsewhere(1000))).event.onAlert; index++) {
      await setup.ask({ phone: elsewhere(index) });
    }
    const [ofKnown, ofOther] = [await read(known), await read(elsewhere(1001))];
    expect([ofKnown.facts.knownNumber, ofOther.facts.knownNumber]).toEqual([true, false]);
    expect(ofKnown.event.onAlert).toBe(ofOther.event.onAlert);
    // What it adds is taken off when it logs in, and one more login.
    const { facts } = await reserveCode(setup.deps, {
      phone: known,
      country: "DE",
      client: unknownClient,
      asksApp: true,
    });
    await countConfirmed(setup.deps, known, facts, { deviceDigest: "new" });
    expect((await read(elsewhere(1001))).event.onAlert).toBe(false);
  });
});

test("undelivered codes are taken off a block as often as it may have unconfirmed logins, once a day for each number", async () => {
  const setup = setUp();
  const undelivered = (index: number) =>
    countUndelivered(setup.deps, { e164: numberOf("+4915123", index), country: "DE", type: "MOBILE" });
  let allowed = 0;
  for (let index = 0; index < 20; index++) {
    allowed += await setup.askOften(1, () => ({ phone: numberOf("+4915123", index) }));
    // The codes of one login that was sent again.
    await undelivered(index);
    await undelivered(index);
  }
  expect(allowed).toBe(12);
});

describe("a number that was proven before", () => {
  test("stays known 400 days after its first proof, if it was proven since", async () => {
    const setup = setUp();
    const phone = numberOf("+4915123", 1);
    await setup.logIn({ phone });
    await setup.pass(390 * day);
    await setup.logIn({ phone });
    await setup.pass(15 * day);
    expect(await setup.ask({ phone })).toMatchObject({ knownNumber: true, isExempt: true });
  });

  test("is known on the day of a later proof too: only the first one has to be a day ago", async () => {
    const setup = setUp();
    const phone = numberOf("+4915123", 1);
    await setup.logIn({ phone });
    await setup.pass(2 * day);
    await setup.logIn({ phone });
    await setup.pass(hour);
    expect(await setup.ask({ phone })).toMatchObject({ knownNumber: true, isExempt: true });
  });

  test.each([
    ["logs in", { deviceDigest: "other" }],
    ["is verified without an account", {}],
  ])("takes an unconfirmed login of its block off when it %s, once a day", async (_, provenBy) => {
    const setup = setUp({ cooldownSeconds: [] });
    const known = "+4915123999999";
    const confirm = async () => {
      const facts = await setup.ask({ phone: known });
      if (typeof facts === "object") await countConfirmed(setup.deps, known, facts, provenBy);
    };
    await confirm();
    await setup.pass(day);
    await setup.askOften(5, (index) => ({ phone: numberOf("+491512399", index) }));
    await confirm();
    await confirm();
    expect(await setup.askOften(10, (index) => ({ phone: numberOf("+491512399", 100 + index) }))).toBe(2);
  });
});

describe("a country on alert", () => {
  /** Lets so many codes stay unconfirmed, each in a block, a wide block and a network of its own. */
  async function setUpAlert(): Promise<Setup> {
    const setup = setUp();
    await setup.askOften(21, (index) => ({ phone: elsewhere(index) }));
    return setup;
  }

  test("is not one with twenty unconfirmed logins, or with more of known numbers", async () => {
    const setup = setUp({ cooldownSeconds: [] });
    for (let person = 0; person < 40; person++) await setup.logIn({ phone: elsewhere(200 + person) });
    await setup.pass(2 * day);
    await setup.askOften(40, (index) => ({ phone: elsewhere(200 + index) }));
    await setup.askOften(13, (index) => ({ phone: elsewhere(index) }));
    expect(await setup.askOften(10)).toBe(6);
    expect(setup.decisions.at(-1)).toMatchObject({ onAlert: false });
  });

  test("stays on alert after midnight, and is over a day later", async () => {
    const setup = setUp();
    await setup.pass(23.8 * hour);
    await setup.askOften(40, (index) => ({ phone: elsewhere(index) }));
    // What a process has counted is in the store after five seconds, with the next login.
    await setup.pass(6);
    await setup.askOften(1, () => ({ phone: elsewhere(50) }));
    await setup.pass(0.3 * hour);
    expect(await setup.askOften(10)).toBe(2);
    await setup.pass(23.7 * hour);
    await setup.askOften(1);
    expect(setup.decisions.at(-1)).toMatchObject({ onAlert: false });
  });

  test("is not over because known numbers log in: they have added nothing to it", async () => {
    const setup = setUp({ cooldownSeconds: [] });
    const logInKnown = async () => {
      for (let person = 0; person < 20; person++) await setup.logIn({ phone: elsewhere(200 + person) });
    };
    await logInKnown();
    await setup.pass(2 * day);
    await setup.askOften(22, (index) => ({ phone: elsewhere(index) }));
    await logInKnown();
    expect(await setup.askOften(10)).toBe(2);
  });

  test("is over when people enter their codes again", async () => {
    const setup = await setUpAlert();
    for (let person = 0; person < 20; person++) await setup.logIn({ phone: elsewhere(100 + person) });
    expect(await setup.askOften(10)).toBe(6);
  });
});

describe("a code that is sent again", () => {
  const phone = elsewhere(1);

  async function facts(setup: Setup): Promise<LimitFacts> {
    const first = await setup.ask({ phone });
    return typeof first === "string" ? expect.fail(first) : first;
  }

  test("L37: is taken off with its login when the login is confirmed, also if it counted", async () => {
    const setup = setUp({ cooldownSeconds: [], sendsPerPhone: 100 });
    let login = await facts(setup);
    for (const sends of [1, 2, 3, 4]) {
      const { refused, facts } = await reserveCode(setup.deps, {
        phone,
        country: "DE",
        client: unknownClient,
        before: { facts: login, sends },
      });
      expect(refused).toBeUndefined();
      login = facts;
    }
    await countConfirmed(setup.deps, phone, login, { deviceDigest: "own" });
    const next = await reserveCode(setup.deps, {
      phone: phone.replace(/1$/, "2"),
      country: "DE",
      client: { address: login.address, network: login.network },
    });
    expect(next.counters.map(({ limit, count }) => [limit, count])).toEqual(
      ["number", "block", "wide_block", "address", "network"].map((limit) => [limit, 1]),
    );
  });
});

describe("a device that has proven a number", () => {
  const phone = "+4915123999999";
  const owner = { phone, deviceDigest: "of-the-owner" };

  async function setUpDevice(): Promise<Setup> {
    const setup = setUp({ cooldownSeconds: [] });
    await setup.logIn(owner);
    await setup.pass(hour);
    return setup;
  }

  test("helps no other number, and no other device helps this one", async () => {
    const setup = await setUpDevice();
    await setup.askOften(20, (index) => ({ phone: numberOf("+491512399", index) }));
    expect(await setup.ask({ ...owner, phone: "+4915123999998" })).toBe("number_range_closed");
    expect(await setup.ask({ ...owner, deviceDigest: "of-a-stranger" })).toBe("number_range_closed");
  });

  test("adds nothing to a group that is closed to strangers, so the group opens with a balance of zero", async () => {
    const setup = await setUpDevice();
    await setup.askOften(20, (index) => ({ phone: numberOf("+491512399", index) }));
    for (let times = 0; times < 3; times++) expect(await setup.ask(owner)).toMatchObject({ knownDevice: "newest" });
    await setup.pass(hour);
    expect(await setup.askOften(20, (index) => ({ phone: numberOf("+491512399", 100 + index) }))).toBe(3);
  });

  test("L15: leaves nothing at its address of a code that the service has refused to send, as a stranger does", async () => {
    const setup = await setUpDevice();
    const countAt = async (address: string, login: Partial<LimitedCode>) => {
      const asked = { phone, country: "DE", client: { address, network: address }, ...login };
      await giveBackCode(setup.deps, await reserveCode(setup.deps, asked), "client");
      const { counters } = await readCode(setup.deps, { ...asked, phone: elsewhere(1) });
      return counters.find(({ limit }) => limit === "address")?.count;
    };
    // The code that is read counts, too.
    expect([await countAt("of-the-owner", owner), await countAt("of-a-stranger", {})]).toEqual([1, 2]);
  });

  test("L24: gives back what it has reserved if the store fails at its own budgets", async () => {
    const setup = await setUpDevice();
    const { deps } = setup;
    await setup.askOften(10, () => ({ phone }));
    const store: Store = {
      ...deps.store,
      async increment(changes) {
        if (changes.some(({ key, by }) => by > 0 && key.includes(".newest"))) throw new Error("No answer.");
        return deps.store.increment(changes);
      },
    };
    const client = { address: "one", network: "one" };
    const failing = { ...deps, store, counters: createCounters({ store, clock: deps.clock }) };
    await expect(reserveCode(failing, { ...owner, country: "DE", client })).rejects.toThrow("No answer.");
    const { counters } = await readCode(deps, { phone: elsewhere(1), country: "DE", client });
    // The code that is read would be the first one of its address and network.
    expect(counters.filter(({ limit }) => limit === "address" || limit === "network")).toMatchObject([
      { count: 1 },
      { count: 1 },
    ]);
  });

  test("is forgotten 180 days after its last login", async () => {
    const setup = setUp({ cooldownSeconds: [] });
    await setup.logIn(owner);
    for (let times = 0; times < 2; times++) {
      await setup.pass(179 * day);
      expect(await setup.logIn(owner)).toMatchObject({ knownDevice: "newest" });
    }
    await setup.pass(180 * day);
    expect(await setup.logIn(owner)).toMatchObject({ knownDevice: undefined });
  });

  test("L46: is not known any more once its number is forgotten, not even the one that has proven it last", async () => {
    const setup = await setUpDevice();
    await forgetNumber(setup.deps, phone);
    expect(await setup.ask(owner)).toMatchObject({ knownDevice: undefined });
  });

  test("L33: books no later place, by logins that began without its cookie: it is the oldest, and is forgotten", async () => {
    const setup = setUp({ cooldownSeconds: [], sendsPerPhone: 100, sendsPerPhonePerDay: 100, mode: "observe" });
    const former = { phone, deviceDigest: "of-the-former-owner" };
    await setup.logIn(former);
    for (let times = 0; times < 3; times++) {
      const facts = await setup.ask({ phone });
      if (typeof facts === "object") await countConfirmed(setup.deps, phone, facts, former);
    }
    const known: unknown[] = [];
    for (let index = 0; index < 40; index++) {
      await setup.logIn({ phone, deviceDigest: `later-${index}` });
      const facts = await setup.ask(former);
      known.push(typeof facts === "object" && facts.knownDevice);
    }
    expect(known.slice(8)).toEqual(Array(32).fill(undefined));
  });

  test("L33: has one code a day together with all others, if another one has proven the number after it", async () => {
    const setup = setUp({ cooldownSeconds: [], sendsPerPhone: 100, mode: "observe" });
    const former = { phone, deviceDigest: "of-the-former-owner" };
    const kept = { phone, deviceDigest: "kept-too" };
    for (const login of [former, kept, owner]) await setup.logIn(login);
    await setup.pass(30 * hour);
    const ofStrangers = await setup.askOften(30, () => ({ phone }));
    const ofFormer = await setup.askOften(30, (index) => (index % 2 === 0 ? former : kept));
    const ofOwner = await setup.askOften(30, () => owner);
    expect([ofStrangers, ofFormer, ofOwner]).toEqual([10, 1, 10]);
  });
});
