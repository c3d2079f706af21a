import { describe, expect, test } from "vitest";
import { readFailedCalls } from "./build-history.ts";
import { type History, type Interruption, keyedEffects, nameOf, type Run, type SentEvent } from "./history.ts";
import { judgeLogins } from "./logins.ts";
import { judge } from "./oracle.ts";
import { createPlan } from "./plan.ts";
import type { Login } from "./run-chaos.ts";
import { createSeededRandom } from "./seeded-random.ts";

const sent: SentEvent = { entity: "msg_1", instant: "2026-01-01T00:00:00.001Z", told: "SENT", failed: false };
const delivered: SentEvent = { ...sent, instant: "2026-01-01T00:00:00.002Z", told: "DELIVERED" };
const failed: SentEvent = { ...sent, instant: "2026-01-01T00:00:00.003Z", told: "FAILED" };
const other: SentEvent = { ...sent, entity: "msg_2" };

function run(event: SentEvent, at: number, process = 0): Run {
  return { ...event, key: `key of ${nameOf(event)}`, at, process };
}

/** Builds a history of these runs, with effects under the keys of events. */
function historyOf(runs: readonly Run[], changes: Partial<History> = {}): History {
  const effects = keyedEffects(runs);
  return {
    sent: [sent, delivered, other],
    runs,
    effects,
    skipped: new Map(),
    failures: new Map(),
    arrivals: new Map(),
    transactional: false,
    interruptions: [],
    ...changes,
  };
}

const complete = [run(sent, 1), run(delivered, 2), run(other, 3)];
const overtaking = [run(delivered, 2), run(other, 3)];
const killed: Interruption = { from: 4, to: 5, process: 0 };
const skippedAt = (...times: number[]) => new Map([[nameOf(sent), times]]);

describe("the oracle finds nothing wrong", () => {
  test.each<{ what: string; history: History }>([
    { what: "when every event has its effect, in order", history: historyOf(complete) },
    {
      what: "when an event was skipped after a newer one",
      history: historyOf(overtaking, { skipped: skippedAt(3) }),
    },
    {
      what: "when a handler ran again after its process was killed",
      history: historyOf([...complete, run(other, 6, 1)], { interruptions: [killed] }),
    },
    {
      what: "when a handler was rolled back, an older event came, and the handler ran again",
      history: historyOf([run(delivered, 1), run(other, 2), run(sent, 6), run(delivered, 7)], {
        transactional: true,
        interruptions: [{ ...killed, from: 2 }],
      }),
    },
    {
      what: "when a handler was killed, a newer event was handled, and the event was then skipped",
      history: historyOf([run(delivered, 1), run(failed, 7), run(other, 8)], {
        sent: [delivered, failed, other],
        interruptions: [{ ...killed, from: 2 }],
      }),
    },
    {
      what: "when an event was skipped after a newer one whose handler threw, and then ran",
      history: historyOf([run(delivered, 5), run(other, 6)], {
        skipped: skippedAt(3),
        failures: new Map([[nameOf(delivered), [2]]]),
      }),
    },
    {
      what: "when an event was skipped after a newer one whose handler threw, and which was then skipped, too",
      history: historyOf([run(failed, 5), run(other, 6)], {
        sent: [sent, delivered, failed, other],
        skipped: new Map([...skippedAt(3), [nameOf(delivered), [6]]]),
        failures: new Map([[nameOf(delivered), [2]]]),
      }),
    },
    {
      what: "when an event was skipped after a newer one had come, whose handler had its effect later",
      history: historyOf([run(delivered, 7), run(other, 8)], {
        skipped: skippedAt(6),
        arrivals: new Map([[nameOf(delivered), 5]]),
      }),
    },
    {
      what: "when an event was skipped after a newer one was interrupted at its beginning, and then ran",
      history: historyOf([run(delivered, 7), run(other, 8)], { skipped: skippedAt(6), interruptions: [killed] }),
    },
    {
      what: "when an older event was given up by the service",
      history: historyOf(overtaking, { sent: [{ ...sent, failed: true }, delivered, other] }),
    },
  ])("$what", ({ history }) => {
    expect(judge(history)).toEqual([]);
  });
});

describe("the oracle finds", () => {
  test.each<{ what: string; history: History; rules: readonly string[] }>([
    {
      what: "an older event that was handled after a newer one was marked",
      history: historyOf([run(delivered, 1), run(sent, 6), run(failed, 7), run(other, 8)], {
        sent: [sent, delivered, failed, other],
      }),
      rules: ["out of order"],
    },
    {
      what: "an older event that was handled after a handler was killed, although that ran again",
      history: historyOf([run(delivered, 1), run(other, 2), run(sent, 6), run(delivered, 7)], {
        interruptions: [{ ...killed, from: 2 }],
      }),
      rules: ["out of order"],
    },
    {
      what: "an older event that is missing and was never skipped",
      history: historyOf(overtaking),
      rules: ["lost"],
    },
    {
      what: "an event that was skipped before anything newer was handled",
      history: historyOf(overtaking, { skipped: skippedAt(1) }),
      rules: ["lost"],
    },
    {
      what: "an event that was skipped before a newer one had come",
      history: historyOf([run(delivered, 7), run(other, 8)], {
        skipped: skippedAt(6),
        arrivals: new Map([[nameOf(delivered), 6.5]]),
      }),
      rules: ["lost"],
    },
    {
      what: "an event that was skipped for a newer one that had come, and never ran",
      history: historyOf([run(failed, 7), run(other, 8)], {
        sent: [sent, delivered, failed, other],
        skipped: new Map([...skippedAt(6), [nameOf(delivered), [7.5]]]),
        arrivals: new Map([
          [nameOf(delivered), 5],
          [nameOf(failed), 6.5],
        ]),
      }),
      rules: ["lost"],
    },
    {
      what: "an event that was skipped before a newer one was interrupted",
      history: historyOf([run(delivered, 7), run(other, 8)], { skipped: skippedAt(3), interruptions: [killed] }),
      rules: ["lost"],
    },
    {
      what: "an event that was skipped for one without an effect",
      history: historyOf([run(delivered, 2), run(other, 3)], {
        effects: [nameOf(other)],
        skipped: skippedAt(3),
      }),
      rules: ["lost", "lost"],
    },
    {
      what: "the newest event missing, although it was skipped",
      history: historyOf([run(sent, 1), run(other, 3)], { skipped: new Map([[nameOf(delivered), [2]]]) }),
      rules: ["lost", "wrong last state"],
    },
    {
      what: "the newest event missing, although the service gave it up",
      history: historyOf([run(sent, 1), run(other, 3)], { sent: [sent, { ...delivered, failed: true }, other] }),
      rules: ["lost", "wrong last state"],
    },
    {
      what: "an effect that happened twice",
      history: historyOf(complete, { effects: [sent, delivered, delivered, other].map(nameOf) }),
      rules: ["doubled"],
    },
    {
      what: "an older event handled after a newer one",
      history: historyOf([run(delivered, 1), run(sent, 2), run(other, 3)]),
      rules: ["out of order", "wrong last state"],
    },
    {
      what: "a handler that was given something else than the service sent",
      history: historyOf(complete, { sent: [sent, { ...delivered, told: "FAILED" }, other] }),
      rules: ["wrong last state"],
    },
    {
      what: "an effect of an event that was never sent",
      history: historyOf(complete, { sent: [sent, delivered] }),
      rules: ["invented"],
    },
    {
      what: "a handler that ran again although nothing was interrupted",
      history: historyOf([...complete, run(other, 6)]),
      rules: ["repeated"],
    },
    {
      what: "a handler that ran again although only another process was killed",
      history: historyOf([...complete, run(other, 6)], { interruptions: [{ ...killed, process: 2 }] }),
      rules: ["repeated"],
    },
    {
      what: "a handler that ran again before anything was interrupted",
      history: historyOf([...complete, run(other, 3.5)], { interruptions: [killed] }),
      rules: ["repeated"],
    },
    {
      what: "one event under two keys",
      history: historyOf([...complete, { ...run(other, 6), key: "another key" }], { interruptions: [killed] }),
      rules: ["doubled", "wrong key"],
    },
    {
      what: "one key for two events",
      history: historyOf(
        complete.map((each) => ({ ...each, key: "the only key" })),
        { effects: [sent, delivered, other].map(nameOf) },
      ),
      rules: ["wrong key"],
    },
  ])("$what", ({ history, rules }) => {
    expect(judge(history).map(({ rule }) => rule)).toEqual(rules);
  });
});

describe("the check of logins", () => {
  const phone = "+4915190000000";
  const readAccount = async () => "";
  const login: Login = {
    phone,
    codes: 1,
    failures: 0,
    refusedForNothing: false,
    readAccount,
    account: `user of ${phone}`,
  };
  const effect = { type: "login", loginId: "a", phone, at: 1, process: 0 } as const;
  const noAnswer = (at: number, process: number) =>
    ({ type: "published", event: "store.failed", at, process }) as const;

  test.each([
    { what: "a login", logins: [login], lines: [effect] },
    { what: "a login that was finished again after a crash", logins: [login], lines: [effect, { ...effect, at: 6 }] },
    {
      what: "a login that was finished again since its process got no answer of the store",
      logins: [login],
      lines: [effect, noAnswer(2, 0), { ...effect, at: 3, process: 1 }],
    },
    {
      what: "a login by another code beside one whose answer was lost",
      logins: [{ ...login, codes: 2 }],
      lines: [effect, { ...effect, loginId: "b" }],
    },
  ])("finds nothing wrong with $what", ({ logins, lines }) => {
    expect(judgeLogins(logins, lines, [killed, ...readFailedCalls(lines)])).toEqual([]);
  });

  test.each([
    { what: "somebody else's account", logins: [{ ...login, account: "user of +49" }], lines: [effect] },
    {
      what: "a right code refused without a reason",
      logins: [{ ...login, refusedForNothing: true }],
      lines: [effect],
    },
    { what: "a session without a login", logins: [login], lines: [] },
    { what: "two logins by one code", logins: [login], lines: [effect, { ...effect, loginId: "b" }] },
    {
      what: "a login twice, while only another process got no answer of the store",
      logins: [login],
      lines: [effect, noAnswer(2, 1), { ...effect, at: 3 }],
    },
    { what: "a login twice without a crash", logins: [login], lines: [effect, { ...effect, at: 2 }] },
  ])("finds $what", ({ logins, lines }) => {
    expect(judgeLogins(logins, lines, [killed, ...readFailedCalls(lines)])).toHaveLength(1);
  });
});

test("one seed always plans the same run, and another seed another run", () => {
  const size = { batches: 10, kills: 6, restarts: 2, usersAtOnce: 8, missed: 500 };
  const [plan, again, another] = [1, 1, 2].map((seed) => createPlan(createSeededRandom(seed), size));
  expect(plan).toEqual(again);
  expect(plan?.disruptions).not.toEqual(another?.disruptions);
  expect(plan?.disruptions.filter(({ what }) => what === "store")).toHaveLength(2);
  expect(new Set(plan?.disruptions.map(({ process }) => process)).size).toBe(3);
});
