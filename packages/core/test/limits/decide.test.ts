import type { LoginLimits } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { countersOf, groupsOf, rememberedSeconds, sendCounters } from "../../src/limits/counter-table.ts";
import { answersOf, type CounterName } from "../../src/limits/counters.ts";
import { decide } from "../../src/limits/decide.ts";
import type { LimitFacts, LimitRequest } from "../../src/limits/decision.ts";
import { loginLimitsShape } from "../../src/limits/login-limits.ts";

const hour = 3600;
const day = 24 * hour;

/** The counts that the store has, with this code; a pair also has the seconds that are left. */
type Counts = Partial<Record<CounterName, number | readonly [count: number, secondsLeft: number]>>;

interface Given extends Partial<LimitRequest> {
  readonly counts?: Counts;
  readonly limits?: Partial<LoginLimits>;
  /** Adds the budgets of a known device, as after a refusal of its number. */
  readonly withBudgetsOf?: "newest" | "other";
}

/** The beginning of a week. */
const thursday = Date.UTC(2026, 8, 24);
const names = { address: "address", network: "network" };

/** Decides without a store: each counter has its count, or what the code adds to it. */
function judge({ counts = {}, limits, withBudgetsOf, ...given }: Given = {}) {
  const deps = { name: "app", limits: { ...loginLimitsShape.parse({}), mode: "enforce", ...limits } } as const;
  const request: LimitRequest = {
    now: thursday,
    phoneFingerprint: "phone",
    country: "DE",
    ...names,
    deviceDigest: "device",
    groups: groupsOf("+4915123456789", names),
    added: 1,
    by: 1,
    asksApp: false,
    isTrusted: false,
    ...given,
  };
  const owner = { phoneFingerprint: "phone", knownDevice: withBudgetsOf };
  const counters = [
    ...countersOf(deps, request),
    ...(withBudgetsOf ? sendCounters(deps, owner, request.now, request.by) : []),
  ];
  const states = counters.map(({ name, by, limit = Number.POSITIVE_INFINITY, ttlSeconds }) => {
    const [count, secondsLeft] = [counts[name] ?? by].flat();
    // A store grants every change by 0, and does not change a counter beyond its limit.
    return {
      granted: by === 0 || (count ?? 0) <= limit,
      count: Math.min(count ?? 0, limit),
      secondsLeft: secondsLeft ?? ttlSeconds,
    };
  });
  return decide(deps.limits, request, answersOf(counters, states));
}

/** Returns what refuses, how long, and for how long a group is closed. */
function refusal(given: Given) {
  const { refused } = judge(given);
  return refused && [refused.limit.limit, refused.error.code, refused.error.retryAfterSeconds, refused.closeSeconds];
}

/** The counts of a number that was proven so long ago. */
const proven = (secondsAgo: number): Counts => ({
  "proven.first": [1, rememberedSeconds - secondsAgo],
  "proven.last": [1, rememberedSeconds - secondsAgo],
});
const newestDevice = { "device.place": 3, "device.newestPlace": 3 };
const closedBlock: Counts = { "block.closed": [1, 100] };

test("a code of a new number is allowed, and tells what it has counted and reserved", () => {
  const decision = judge();
  expect(decision).toMatchObject({ refused: undefined, failures: 0, cooldownSeconds: 30 });
  expect(decision.event).toStrictEqual({
    type: "login.send_decided",
    outcome: "allowed",
    country: "DE",
    onAlert: false,
    appOnAlert: false,
    knownNumber: false,
    knownDevice: false,
  });
  expect(decision.counters).toEqual([
    { limit: "number", count: 1, threshold: 10 },
    { limit: "block", count: 1, threshold: 6 },
    { limit: "wide_block", count: 1, threshold: 20 },
    { limit: "address", count: 1, threshold: 20 },
    { limit: "network", count: 1, threshold: 60 },
  ]);
  expect(decision.granted.map(({ name }) => name)).toEqual([
    "number.part0",
    "number.window",
    "number.pause0",
    "number.pause1",
    "number.pause2",
    "number.pause3",
    "block.unconfirmed",
    "wide_block.unconfirmed",
    "address.unconfirmed",
    "network.unconfirmed",
  ]);
});

describe("a number", () => {
  const read = { by: 0 } as const;
  test.each<[what: string, counts: Counts, refused: [code: string, seconds: number], given?: Given]>([
    ["with the codes of an hour", { "number.window": [6, 500] }, ["send_limit_reached", 500]],
    ["in the first pause", { "number.pause0": [2, 12] }, ["cooldown", 12]],
    [
      "of which two limits refuse: the longer wait",
      { "number.window": [6, 500], "number.pause2": [4, 600] },
      ["cooldown", 600],
    ],
    [
      "with the codes of a day, until the oldest of them are a day old",
      { "number.part0": 1, "number.part1": [4, 9000], "number.part3": [6, 700] },
      ["send_limit_reached", 700],
    ],
    ["with the codes of a day in the last hours", { "number.part0": [11, 80_000] }, ["send_limit_reached", 80_000]],
    [
      "without codes by its limits",
      { "number.part0": [1, 0] },
      ["send_limit_reached", day],
      { limits: { sendsPerPhonePerDay: 0 } },
    ],
    [
      "with the codes of a day, if they are only read",
      { "number.part1": [10, 900] },
      ["send_limit_reached", 900],
      read,
    ],
    [
      "with the codes of an hour, if they are only read",
      { "number.window": [5, 900] },
      ["send_limit_reached", 900],
      read,
    ],
  ])("%s gets no code", (_what, counts, refused, given) => {
    expect(refusal({ counts, ...given })).toEqual(["number", ...refused, undefined]);
  });

  test("gets the last code of a day, also if it is only read before", () => {
    const counts = { "number.part0": 4, "number.part4": 6 };
    expect(judge({ counts }).counters[0]).toEqual({ limit: "number", count: 10, threshold: 10 });
    expect(refusal({ counts })).toBeUndefined();
    const before = { counts: { ...counts, "number.part0": 3 }, by: 0 } as const;
    expect(judge(before).counters[0]).toEqual({ limit: "number", count: 10, threshold: 10 });
    expect(refusal(before)).toBeUndefined();
  });

  test("has the pauses 30, 60, 120 and 300 seconds after its first, second, third and fourth code", () => {
    const after = [1, 2, 3, 4].map((codes) => {
      const pauses = [0, 1, 2, 3].map((index) => [`number.pause${index}`, codes <= index + 1 ? codes : 0]);
      return judge({ counts: Object.fromEntries(pauses) }).cooldownSeconds;
    });
    expect(after).toEqual([30, 60, 120, 300]);
  });

  test("is known from a day after its first proof, for three codes a day", () => {
    const known = (secondsAgo: number, codes: number) =>
      judge({ counts: { ...proven(secondsAgo), "number.part0": codes } }).facts.knownNumber;
    expect([known(day - 1, 1), known(day, 1), known(day, 3), known(day, 4)]).toEqual([false, true, true, false]);
  });

  test("is proven today within a day after its last proof, or after a verify, which makes it no known number", () => {
    const login = (counts: Counts) => judge({ counts }).facts;
    expect(login(proven(day - 1))).toMatchObject({ provenToday: true, lastProvenAt: thursday - (day - 1) * 1000 });
    expect(login(proven(day))).toMatchObject({ provenToday: false });
    const verified = login({ "proven.verified": 1 });
    expect(verified).toMatchObject({ provenToday: true, knownNumber: false, lastProvenAt: undefined });
  });
});

describe("L33: a device", () => {
  test.each([
    { place: 0, newestPlace: 0, knownDevice: undefined },
    { place: 1, newestPlace: 1, knownDevice: "newest" },
    { place: 1, newestPlace: 8, knownDevice: "other" },
    { place: 1, newestPlace: 9, knownDevice: undefined },
    // Its number was forgotten after the login began that it has proven the number with.
    { place: 9, newestPlace: 8, knownDevice: undefined },
  ])("with place $place of $newestPlace is known as $knownDevice", ({ place, newestPlace, knownDevice }) => {
    const counts = { "device.place": place, "device.newestPlace": newestPlace };
    expect(judge({ counts }).facts.knownDevice).toBe(knownDevice);
  });

  test("has its own failures, and is a stranger when they have reached the limit", () => {
    const failures = (own: number) => {
      const { facts, ...decision } = judge({
        counts: { ...newestDevice, "newest.failures": own, "number.failures": 7 },
      });
      return [facts.knownDevice, decision.failures];
    };
    expect([failures(99), failures(100)]).toEqual([
      ["newest", 99],
      [undefined, 7],
    ]);
  });

  test("has its own codes, if the number has none left", () => {
    const given = { counts: { ...newestDevice, "number.window": 6 } };
    expect(refusal(given)?.[1]).toBe("send_limit_reached");
    expect(refusal({ ...given, withBudgetsOf: "newest" })).toBeUndefined();
    const counts = { ...given.counts, "newest.part0": [11, 400] } as const;
    expect(refusal({ counts, withBudgetsOf: "newest" })).toEqual(["number", "send_limit_reached", 400, undefined]);
  });
});

describe("a ceiling", () => {
  const limits = { sendsPerHour: 10, sendsPerDay: 20, costPerDay: 1, prices: { other: 0.1 } };

  test.each([
    { ceiling: "sends_per_hour", code: "hourly_ceiling_reached", seconds: 600 },
    { ceiling: "sends_per_day", code: "daily_ceiling_reached", seconds: 600 },
    { ceiling: "cost_per_day", code: "cost_ceiling_reached", seconds: 600 },
  ] as const)("$ceiling refuses known numbers too, until its hour or day is over", ({ ceiling, code, seconds }) => {
    const given = { limits, now: thursday - 600_000, counts: { ...proven(2 * day), [ceiling]: 10_001 } };
    expect(refusal(given)).toEqual([ceiling, code, seconds, undefined]);
  });

  test("is not asked for a code that is only looked at, and comes after the budgets of the number", () => {
    expect(refusal({ limits, by: 0, counts: { sends_per_day: 21 } })).toBeUndefined();
    expect(refusal({ limits, counts: { sends_per_day: 21, "number.window": 6 } })?.[0]).toBe("number");
  });
});

describe("a group", () => {
  test.each([
    { group: "block", unconfirmed: 6, onAlert: 2, code: "number_range_closed" },
    { group: "wide_block", unconfirmed: 20, onAlert: 20, code: "number_range_closed" },
    { group: "address", unconfirmed: 20, onAlert: 5, code: "client_limit_reached" },
    { group: "network", unconfirmed: 60, onAlert: 20, code: "client_limit_reached" },
  ] as const)(
    "$group has $unconfirmed unconfirmed logins, and $onAlert on alert",
    ({ group, unconfirmed, onAlert, code }) => {
      const beyond = (count: number, counts: Counts = {}) =>
        refusal({ counts: { ...counts, [`${group}.unconfirmed`]: count } });
      const alert = { "country.unconfirmed.today": 20 };
      expect(beyond(unconfirmed)).toBeUndefined();
      expect(beyond(unconfirmed + 1)).toEqual([group, code, hour, hour]);
      expect(beyond(onAlert, alert)).toBeUndefined();
      expect(beyond(onAlert + 1, alert)).toEqual([group, code, 6 * hour, 6 * hour]);
    },
  );

  test("has half a login more for each login of a usual day", () => {
    // 49 logins of the last 7 days, on the first instant of a week.
    const counts = { "block.lastWeek": 49 };
    expect(judge({ counts }).counters[1]).toEqual({ limit: "block", count: 1, threshold: 9.5 });
    const later = { counts: { ...counts, "block.thisWeek": 21 }, now: thursday + 3 * day * 1000 };
    expect(judge(later).counters[1]).toEqual({ limit: "block", count: 1, threshold: 9.5 });
  });

  test("is closed for 1, 6 and 24 hours, on alert one step longer, and has half of its limits within a week after", () => {
    const closed = (timesClosed: number, counts: Counts = {}) =>
      refusal({ counts: { "block.unconfirmed": 7, "block.timesClosed": timesClosed, ...counts } })?.[3];
    expect([0, 1, 2, 3].map((times) => closed(times))).toEqual([hour, 6 * hour, day, day]);
    expect([0, 1, 2].map((times) => closed(times, { "country.unconfirmed.today": 20 }))).toEqual([6 * hour, day, day]);
    expect(closed(1, { "block.unconfirmed": 3 })).toBeUndefined();
    expect(closed(1, { "block.unconfirmed": 4 })).toBe(6 * hour);
    expect(closed(1, { "block.unconfirmed": 1, "block.today": 5 })).toBeUndefined();
    expect(closed(1, { "block.unconfirmed": 1, "block.today": 6 })).toBe(6 * hour);
  });

  test("that is closed refuses until it opens, without a count, and is not closed again", () => {
    const decision = judge({ counts: closedBlock });
    expect(refusal({ counts: closedBlock })).toEqual(["block", "number_range_closed", 100, undefined]);
    expect(decision.counters[1]).toEqual({ limit: "block" });
    expect(decision.event).toMatchObject({ outcome: "refused", limit: "block" });
    expect(decision.event).not.toHaveProperty("count");
  });

  test("that is over its limit is published with its count, and its threshold to a tenth below", () => {
    const counts = { "block.unconfirmed": 8, "block.lastWeek": 20 };
    const published = { outcome: "refused", limit: "block", count: 8, threshold: 7.4, counted: "unconfirmed" };
    expect(judge({ counts }).event).toMatchObject(published);
    const many = judge({ counts: { "block.today": 9999 } }).event;
    expect(many).toMatchObject({ outcome: "refused", limit: "block", count: 10_000, counted: "logins" });
  });

  test("of a client refuses before a block: a client that is refused anyway closes no block", () => {
    const counts = { "block.unconfirmed": 7, "wide_block.unconfirmed": 21, "address.unconfirmed": 21 };
    expect(refusal({ counts })?.[0]).toBe("address");
    expect(refusal({ counts: { ...closedBlock, "network.unconfirmed": 61 } })?.[0]).toBe("network");
  });

  test.each([
    { what: "a known number", counts: proven(2 * day) },
    { what: "a known device", counts: newestDevice },
  ])("does not refuse $what", ({ counts }) => {
    const given = { counts: { ...counts, ...closedBlock } };
    expect(judge(given)).toMatchObject({ refused: undefined, event: { outcome: "allowed" } });
  });

  test("refuses a known number if the app decides too, and a known device never", () => {
    const beforeTheApp = (counts: Counts) => refusal({ asksApp: true, counts: { ...counts, ...closedBlock } })?.[0];
    expect([beforeTheApp(proven(2 * day)), beforeTheApp(newestDevice)]).toEqual(["block", undefined]);
  });

  test("that only observes reports what it would refuse, and leaves the others as they are", () => {
    const limits = { mode: { block: "observe" } } as const;
    const over = judge({ limits, counts: { "block.unconfirmed": 7 } });
    expect(over.event).toMatchObject({ outcome: "would_refuse", limit: "block", count: 7, threshold: 6 });
    expect(over.refused).toBeUndefined();
    expect(refusal({ limits, counts: { "block.unconfirmed": 21, "wide_block.unconfirmed": 21 } })?.[0]).toBe(
      "wide_block",
    );
    const none = judge({ limits: { mode: "observe" }, counts: { "network.unconfirmed": 61 } });
    expect(none).toMatchObject({ refused: undefined, event: { outcome: "would_refuse", limit: "network" } });
  });
});

describe("people who log in", () => {
  const refusedWith = (counts: Counts, now = thursday) => refusal({ counts, now })?.[0];
  /** A country in which 100 blocks had 100 logins a day last week. */
  const active: Counts = {
    "country.logins.lastWeek": 700,
    "country.blocks.lastWeek": 700,
    "country.wideBlocks.lastWeek": 700,
  };

  test.each([
    { group: "block", logins: 12 },
    { group: "wide_block", logins: 60 },
  ] as const)(
    "are at most $logins a day of a $group without a past, also if each of them is confirmed",
    ({ group, logins }) => {
      expect(refusedWith({ ...active, [`${group}.today`]: logins - 1 })).toBeUndefined();
      expect(refusedWith({ ...active, [`${group}.today`]: logins })).toBe(group);
    },
  );

  test("may be five times as many as on a day before, to which today does not count", () => {
    // Four a day.
    const counts = (today: number): Counts => ({
      ...active,
      "block.lastWeek": 28,
      "block.thisWeek": today,
      "block.today": today,
    });
    expect([refusedWith(counts(19)), refusedWith(counts(20))]).toEqual([undefined, "block"]);
  });

  test("may be four times as many as in other blocks last week, or, in a new country, on a day", () => {
    const lastWeek: Counts = { "country.logins.lastWeek": 70, "country.blocks.lastWeek": 14 };
    const fresh: Counts = { "country.logins.today": 50, "country.blocks.today": 10 };
    for (const counts of [lastWeek, fresh]) {
      expect(refusedWith({ ...counts, "block.today": 19 })).toBeUndefined();
      expect(refusedWith({ ...counts, "block.today": 20 })).toBe("block");
    }
  });

  test("may be half as many again as in the other blocks today, where ten blocks are active on a day", () => {
    const peak = (blocks: number, today: number): Counts => ({
      "country.logins.lastWeek": 7 * blocks,
      "country.blocks.lastWeek": 7 * blocks,
      "country.logins.today": 40 * blocks,
      "country.blocks.today": blocks,
      "block.today": today,
    });
    expect([refusedWith(peak(12, 59)), refusedWith(peak(12, 60))]).toEqual([undefined, "block"]);
    expect([refusedWith(peak(9, 11)), refusedWith(peak(9, 12))]).toEqual([undefined, "block"]);
  });

  test("keep a wide block open below three times the unconfirmed logins that are usual in the country", () => {
    const country = (unconfirmed: number, count: number): Counts => ({
      ...active,
      "country.wideBlocks.lastWeek": 84,
      "country.unconfirmed.today": unconfirmed,
      "wide_block.unconfirmed": count,
    });
    // Twelve wide blocks, each with ten: 119 and this code.
    expect([refusedWith(country(119, 30)), refusedWith(country(119, 31))]).toEqual([undefined, "wide_block"]);
    expect([refusedWith(country(10, 20)), refusedWith(country(10, 21))]).toEqual([undefined, "wide_block"]);
  });
});

describe("an alert", () => {
  const alerts = (given: Given) => {
    const { onAlert, appOnAlert } = judge(given).event;
    return { onAlert, appOnAlert };
  };

  test("of a country begins with its twenty-first unconfirmed login, of the app with the hundred and first, this code included", () => {
    expect(alerts({ counts: { "country.unconfirmed.today": 19 } })).toEqual({ onAlert: false, appOnAlert: false });
    expect(alerts({ counts: { "country.unconfirmed.today": 20 } })).toEqual({ onAlert: true, appOnAlert: false });
    expect(alerts({ counts: { "app.unconfirmed.today": 99 } })).toEqual({ onAlert: false, appOnAlert: false });
    expect(alerts({ counts: { "app.unconfirmed.today": 100 } })).toEqual({ onAlert: false, appOnAlert: true });
  });

  test.each([
    { what: "a known number", given: { counts: proven(2 * day) } },
    { what: "a known device", given: { counts: newestDevice } },
    { what: "a first resend", given: { added: 0 } },
  ] as const)("does not count $what", ({ given }) => {
    const counts = { ...("counts" in given ? given.counts : {}), "country.unconfirmed.today": 20 };
    expect(alerts({ ...given, counts }).onAlert).toBe(false);
  });

  test("begins later by two for each hundred logins of a usual day", () => {
    const counts = { "country.logins.lastWeek": 3500, "country.logins.thisWeek": 500 };
    const onAlert = (unconfirmed: number) => {
      const given = { now: thursday + day * 1000, counts: { ...counts, "country.unconfirmed.today": unconfirmed } };
      return alerts(given).onAlert;
    };
    expect([onAlert(29), onAlert(30)]).toEqual([false, true]);
  });

  test("forgets the unconfirmed logins of yesterday as today goes by", () => {
    const onAlert = (hours: number) =>
      alerts({ now: thursday + hours * hour * 1000, counts: { "country.unconfirmed.yesterday": 40 } }).onAlert;
    expect([onAlert(0), onAlert(11), onAlert(13), onAlert(23)]).toEqual([true, true, false, false]);
  });

  test("of a country that only observes lowers nothing, and is not published", () => {
    const given = {
      limits: { mode: { country: "observe" } },
      counts: { "country.unconfirmed.today": 90, "block.unconfirmed": 6 },
    } as const;
    expect([refusal(given), alerts(given).onAlert]).toEqual([undefined, false]);
  });
});

describe("a login that had a code before", () => {
  const login: LimitFacts = {
    country: "DE",
    ...names,
    knownNumber: false,
    isExempt: false,
    added: 1,
    provenToday: false,
    devicePlace: 0,
    newestPlace: 0,
  };

  test("L37: is refused in a closed group and beyond a limit, and closes nothing", () => {
    expect(refusal({ login, added: 0, counts: closedBlock })).toEqual(["block", "number_range_closed", 100, undefined]);
    expect(refusal({ login, counts: { "block.unconfirmed": 7 } })).toEqual([
      "block",
      "number_range_closed",
      hour,
      undefined,
    ]);
  });

  test("stays what it was, with what this code adds, and needs no length of codes", () => {
    const known = { ...login, knownNumber: true, isExempt: true };
    const counts = { ...newestDevice, ...closedBlock, "number.failures": 30 };
    const again = judge({ login: known, counts });
    expect(again).toMatchObject({ refused: undefined, facts: { ...known, added: 2 }, failures: 0 });
  });
});
