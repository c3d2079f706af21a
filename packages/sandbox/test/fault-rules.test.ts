import { describe, expect, test } from "vitest";
import { type FaultScope, type FaultTarget, fireFaults, seededRandom } from "../src/fault/fire-faults.ts";
import { faultShape } from "../src/sandbox/faults.ts";
import type { FaultLimits, FaultRule } from "../src/state/fault.ts";
import { createState, type State } from "../src/state/state.ts";

const phone = "+4915112345678";
const otherPhone = "+4915112345679";
const drop = { type: "drop" } as const;
const answer = { type: "answer", status: 503 } as const;

function stateWith(...rules: (FaultRule & FaultLimits)[]): State {
  const state = createState();
  for (const [index, rule] of rules.entries()) {
    state.faults.put({ ...rule, id: `flt_${index}`, applicationId: "app_1", matched: 0, fired: 0 });
  }
  return state;
}

function targetOf<Scope extends FaultScope>(
  scope: Scope,
  on: FaultTarget<Scope>["on"],
  changes: Partial<FaultTarget<Scope>> = {},
): FaultTarget<Scope> {
  return { scope, on, applicationId: "app_1", to: [phone], atMilliseconds: Date.UTC(2026, 0, 1), ...changes };
}

const attempt = targetOf("attempt", "message.status.update", { eventStatus: "SENT" });

/** Fires the faults that apply to a target and returns the types of their actions. */
function firedBy(state: State, target: FaultTarget<FaultScope> = attempt): readonly string[] {
  return fireFaults(state, target).map(({ type }) => type);
}

describe("a fault applies to", () => {
  const message = targetOf("request", "POST /messages");
  const list = targetOf("request", "GET /messages", { to: [] });
  const verification = targetOf("attempt", "verification.update", { eventStatus: "APPROVED" });

  test.each<[string, FaultRule, FaultTarget<FaultScope>, FaultTarget<FaultScope>]>([
    ["its route only", { on: "POST /messages", action: answer }, message, list],
    ["every route, but no webhook", { on: "request", action: answer }, list, attempt],
    ["its event only", { on: "verification.update", action: drop }, verification, attempt],
    ["every event, but no request", { on: "webhook", action: drop }, verification, message],
    ["its phone number", { on: "webhook", to: phone, action: drop }, attempt, { ...attempt, to: [otherPhone] }],
    [
      "one recipient among many",
      { on: "request", to: phone, action: answer },
      { ...message, to: [otherPhone, phone] },
      list,
    ],
    [
      "its status, of any channel",
      { on: "webhook", status: "SENT", action: drop },
      { ...attempt, eventStatus: "SMS SENT" },
      { ...attempt, eventStatus: "SMS FAILED" },
    ],
    ["its status", { on: "webhook", status: "SENT", action: drop }, attempt, { ...attempt, eventStatus: "FAILED" }],
    ["its application", { on: "webhook", action: drop }, attempt, { ...attempt, applicationId: "app_2" }],
  ])("%s", (_, rule, matching, other) => {
    const state = stateWith(rule);
    expect(firedBy(state, other)).toEqual([]);
    expect([...state.faults.all()][0]).toMatchObject({ matched: 0, fired: 0 });
    expect(firedBy(state, matching)).toEqual([rule.action.type]);
  });
});

describe("firing", () => {
  test("returns the actions of all matching faults, in the order in which they were added", () => {
    const rules = (["two_secrets", "drop", "corrupt_signature"] as const).map((type) => ({
      on: "webhook" as const,
      action: { type },
    }));
    expect(firedBy(stateWith(...rules))).toEqual(["two_secrets", "drop", "corrupt_signature"]);
  });

  /** The published generator, which returns one number after another. */
  function mulberry32(seed: number): () => number {
    let a = seed;
    return () => {
      a |= 0;
      a = (a + 0x6d2b79f5) | 0;
      let t = Math.imul(a ^ (a >>> 15), 1 | a);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }

  test.each([0, 1, 42, 2 ** 31, 2 ** 32 - 1])("has the random numbers of mulberry32 with the seed %i", (seed) => {
    const next = mulberry32(seed);
    const expected = Array.from({ length: 1_000 }, next);
    expect(expected.map((_, index) => seededRandom(seed, index))).toEqual(expected);
  });

  test.each([
    [undefined, 1],
    [1, 1],
    [7, 7],
  ])("depends on the seed: %s", (seed, generatorSeed) => {
    const state = stateWith({ on: "webhook", probability: 0.3, action: drop, ...(seed === undefined ? {} : { seed }) });
    const fires = Array.from({ length: 200 }, () => firedBy(state).length === 1);
    const next = mulberry32(generatorSeed);
    expect(fires).toEqual(fires.map(() => next() < 0.3));
    const fired = fires.filter(Boolean).length;
    expect(state.faults.list("app_1")).toMatchObject([{ matched: 200, fired }]);
    expect(state.firings.count("app_1")).toBe(fired);
  });

  test("continues in another process at the same position", () => {
    const rule = { on: "webhook", probability: 0.5, seed: 3, times: 20, action: drop } as const;
    const whole = stateWith(rule);
    const expected = Array.from({ length: 60 }, () => firedBy(whole).length);
    const first = stateWith(rule);
    const before = Array.from({ length: 13 }, () => firedBy(first).length);
    const second = createState();
    for (const fault of first.faults.list("app_1")) second.faults.restore(JSON.parse(JSON.stringify(fault)));
    const after = Array.from({ length: 47 }, () => firedBy(second).length);
    expect([...before, ...after]).toEqual(expected);
  });
});

describe("a rule", () => {
  test.each([
    ["", "nothing"],
    ["on", { action: drop }],
    ["on", { on: "DELETE /messages", action: drop }],
    ["action", { on: "webhook" }],
    ["action.type", { on: "webhook", action: {} }],
    ["action.type", { on: "webhook", action: answer }],
    ["action.type", { on: "request", action: drop }],
    ["action.when", { on: "request", action: { type: "cut" } }],
    ["action.status", { on: "request", action: { type: "answer", status: 199 } }],
    ["action.body", { on: "request", action: { type: "answer", status: 204, body: "" } }],
    ["action.seconds", { on: "webhook", action: { type: "delay", milliseconds: 5 } }],
    ["action.seconds", { on: "webhook", action: { type: "stale_timestamp", seconds: 0 } }],
    ["to", { on: "webhook", action: drop, to: "0151 12345678" }],
    ["status", { on: "webhook", action: drop, status: "" }],
    ["times", { on: "webhook", action: drop, times: 0 }],
    ["probability", { on: "webhook", action: drop, probability: 1.1 }],
    ["seed", { on: "webhook", action: drop, seed: 2 ** 32 }],
  ])("with an invalid %s is refused by its name", (field, rule) => {
    const { error } = faultShape.safeParse(rule);
    expect(error?.issues[0]?.path.join(".")).toBe(field);
    expect(error?.message).not.toContain("0151");
  });

  test("with an unknown target or action is refused with the known ones", () => {
    const messageOf = (rule: unknown) => faultShape.safeParse(rule).error?.issues[0]?.message;
    expect(messageOf({ on: "webhooks", action: drop })).toMatch(/POST \/messages.*webhook.*verification\.update/);
    expect(messageOf({ on: "request", action: drop })).toMatch(/answer, delay, cut/);
    expect(messageOf({ on: "webhook", action: answer })).toMatch(/odd_json.*stale_timestamp/);
  });
});
