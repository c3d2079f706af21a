import { describe, expect, test } from "vitest";
import { readFailedCalls } from "./build-history.ts";
import { type History, type Interruption, keyedEffects, nameOf, type Run, type SentEvent } from "./history.ts";
import { judgeLogins } from "./logins.ts";
import { judge } from "./oracle.ts";
import type { Login } from "./run-chaos.ts";

const sent: SentEvent = { entity: "msg_1", instant: "2026-01-01T00:00:00.001Z", told: "SENT", failed: false };
const delivered: SentEvent = { ...sent, instant: "2026-01-01T00:00:00.002Z", told: "DELIVERED" };
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

describe("the oracle finds", () => {
  test.each<{ what: string; history: History; rules: readonly string[] }>([
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
      what: "an event that was skipped before a newer one had come",
      history: historyOf([run(delivered, 7), run(other, 8)], {
        skipped: skippedAt(6),
        arrivals: new Map([[nameOf(delivered), 6.5]]),
      }),
      rules: ["lost"],
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

  test.each([
    { what: "somebody else's account", logins: [{ ...login, account: "user of +49" }], lines: [effect] },
    {
      what: "a right code refused without a reason",
      logins: [{ ...login, refusedForNothing: true }],
      lines: [effect],
    },
    { what: "a session without a login", logins: [login], lines: [] },
    { what: "two logins by one code", logins: [login], lines: [effect, { ...effect, loginId: "b" }] },
    { what: "a login twice without a crash", logins: [login], lines: [effect, { ...effect, at: 2 }] },
  ])("finds $what", ({ logins, lines }) => {
    expect(judgeLogins(logins, lines, [killed, ...readFailedCalls(lines)])).toHaveLength(1);
  });
});
