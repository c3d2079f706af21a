import { createDeadline, type Deadline } from "@doorcode/core/store";
import { createManualClock } from "@doorcode/core/testing";
import { expect, test } from "vitest";
import { createBatches } from "../src/connection/batches.ts";
import type { BatchedCall } from "../src/connection/row-queues.ts";

interface Call extends BatchedCall {
  readonly name: string;
}

/** Batches whose statements the test answers, in any order. */
function setUp() {
  const clock = createManualClock();
  const statements: { readonly names: string; readonly deadline: Deadline; answer(): void; fail(): void }[] = [];
  const ask = createBatches<Call, string>({
    startDeadline: () => createDeadline(clock, 2, () => new Error("too late")),
    carryOut(calls, deadline) {
      const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
      const names = calls.map(({ name }) => name);
      statements.push({
        names: names.join(" "),
        deadline,
        answer: () => resolve(names.map((name) => `answer to ${name}`)),
        fail: () => reject(new Error(`no ${names.join(" ")}`)),
      });
      return promise;
    },
  });
  const sent = () => statements.map(({ names }) => names);
  async function answer(index: number): Promise<void> {
    statements[index]?.answer();
    await clock.advance(0);
  }
  return {
    clock,
    ask: (name: string, ...writtenKeys: string[]) => ask({ name, writtenKeys }),
    askFor: ask,
    statements,
    sent,
    answer,
  };
}

test("sends the calls of a turn together, and gives each its own answer", async () => {
  const { ask, sent, answer, clock } = setUp();
  const asked = Promise.all([ask("a", "1"), ask("b", "2"), ask("reading")]);
  await clock.advance(0);
  expect(sent()).toEqual(["a b reading"]);
  await answer(0);
  expect(await asked).toEqual(["answer to a", "answer to b", "answer to reading"]);
});

test("runs two statements, and gathers what comes meanwhile until one of them is answered", async () => {
  const { ask, sent, answer, clock } = setUp();
  for (const name of ["a", "b", "c", "d", "e"]) {
    void ask(name, name);
    await clock.advance(0);
  }
  expect(sent()).toEqual(["a", "b"]);
  await answer(1);
  expect(sent()).toEqual(["a", "b", "c d e"]);
});

test("writes a row in one statement at a time, in the order of the calls, which no other call overtakes", async () => {
  const { ask, sent, answer, clock } = setUp();
  for (const [name, ...keys] of [
    ["a", "1"],
    ["b", "1", "2"],
    ["c", "2"],
    ["d", "1"],
    ["e", "3"],
  ] as const) {
    void ask(name, ...keys);
  }
  await clock.advance(0);
  // c writes a free row, and would keep b waiting if it went first.
  expect(sent()).toEqual(["a e"]);
  await answer(0);
  expect(sent()).toEqual(["a e", "b"]);
  await answer(1);
  expect(sent()).toEqual(["a e", "b", "c d"]);
});

test("sends a call when all of its rows are free, and a later one when they are free again", async () => {
  const { ask, sent, answer, clock } = setUp();
  void ask("a", "1");
  await clock.advance(0);
  void ask("b", "2");
  void ask("c", "1", "2");
  await clock.advance(0);
  await answer(1);
  expect(sent()).toEqual(["a", "b"]);
  await answer(0);
  expect(sent()).toEqual(["a", "b", "c"]);
  await answer(2);
  void ask("d", "1");
  void ask("e", "2");
  await clock.advance(0);
  expect(sent()).toEqual(["a", "b", "c", "d e"]);
});

test("does not look at all calls that wait for a row again for each of its statements", async () => {
  const { askFor, sent, answer, clock } = setUp();
  let looks = 0;
  for (let index = 0; index < 1000; index++) {
    void askFor({
      name: String(index),
      get writtenKeys() {
        looks += 1;
        return ["hot"];
      },
    }).catch(() => undefined);
  }
  await clock.advance(0);
  for (let index = 0; index < 100; index++) await answer(index);
  expect(sent()).toHaveLength(101);
  expect(looks).toBeLessThan(3000);
});

test("lets a statement write no more than five hundred rows, or the rows of one call", async () => {
  const { ask, sent, clock } = setUp();
  const keys = (of: string, count: number) => Array.from({ length: count }, (_, index) => `${of}${index}`);
  for (const name of ["a", "b", "c", "d"]) void ask(name, ...keys(name, 249));
  await clock.advance(0);
  expect(sent()).toEqual(["a b c", "d"]);
});

test("rejects all calls of a statement that fails, and goes on with the next ones", async () => {
  const { ask, statements, sent, clock } = setUp();
  const failing = Promise.allSettled([ask("a", "1"), ask("b", "2")]);
  const later = ask("c", "1");
  await clock.advance(0);
  statements[0]?.fail();
  expect((await failing).map((result) => result.status === "rejected" && String(result.reason))).toEqual([
    "Error: no a b",
    "Error: no a b",
  ]);
  await clock.advance(0);
  expect(sent()).toEqual(["a b", "c"]);
  statements[1]?.answer();
  expect(await later).toBe("answer to c");
});

test("limits the calls of a turn by one timer, which ends with the last of them", async () => {
  const { ask, answer, clock } = setUp();
  const asked = [ask("a", "1"), ask("b", "2"), ask("waits for a", "1").catch(String)];
  expect(clock.pending).toBe(1);
  await clock.advance(1000);
  await answer(0);
  expect(await Promise.all(asked.slice(0, 2))).toEqual(["answer to a", "answer to b"]);
  expect(clock.pending).toBe(1);
  await clock.advance(1000);
  expect(await asked[2]).toBe("Error: too late");
  expect(clock.pending).toBe(0);
});

test("limits a call that comes after others of its turn were sent and refused", async () => {
  const clock = createManualClock();
  const first = Promise.withResolvers<readonly string[]>();
  const ask = createBatches<Call, string>({
    startDeadline: () => createDeadline(clock, 2, () => new Error("too late")),
    carryOut([call]) {
      if (call?.name === "refused") throw new Error("refused");
      return call?.name === "first" ? first.promise : new Promise(() => undefined);
    },
  });
  const answers: Promise<string>[] = [];
  const askFor = (name: string) => answers.push(ask({ name, writtenKeys: [] }).catch(String));
  askFor("first");
  await clock.advance(0);
  first.resolve(["answer"]);
  // The answer to the first call sends the second one before this turn is over.
  queueMicrotask(() => askFor("third"));
  askFor("refused");
  await clock.advance(2000);
  expect(await Promise.all(answers)).toEqual(["answer", "Error: refused", "Error: too late"]);
  expect(clock.pending).toBe(0);
});

test("gives a statement the time that its last call has left", async () => {
  const { ask, statements, answer, clock } = setUp();
  for (const name of ["a", "b"]) {
    void ask(name).catch(() => undefined);
    await clock.advance(0);
  }
  const early = ask("early").catch(String);
  await clock.advance(1500);
  const late = ask("late");
  await answer(0);
  await clock.advance(500);
  expect(await early).toBe("Error: too late");
  expect(statements[2]?.deadline.isOver).toBe(false);
  await answer(2);
  expect(await late).toBe("answer to late");
});

test("counts the wait for other statements, and never sends a call whose caller has given up", async () => {
  const { ask, sent, answer, clock } = setUp();
  void ask("a", "1").catch(() => undefined);
  const waiting = ask("b", "1").catch(String);
  await clock.advance(1999);
  const late = ask("c", "1");
  await clock.advance(1);
  expect(await waiting).toBe("Error: too late");
  await answer(0);
  expect(sent()).toEqual(["a", "c"]);
  await answer(1);
  expect(await late).toBe("answer to c");
  expect(clock.pending).toBe(0);
});

test("never sends a call that was ready, and whose caller has given up before a statement was free", async () => {
  const { ask, sent, answer, clock } = setUp();
  for (const name of ["a", "b"]) {
    void ask(name).catch(() => undefined);
    await clock.advance(0);
  }
  const waiting = ask("c", "1").catch(String);
  await clock.advance(2000);
  expect(await waiting).toBe("Error: too late");
  const next = ask("d", "1");
  await answer(0);
  expect(sent()).toEqual(["a", "b", "d"]);
  await answer(2);
  expect(await next).toBe("answer to d");
});

test("keeps the rows of a call that has given up until PostgreSQL answers its statement", async () => {
  const { ask, sent, answer, clock } = setUp();
  for (const name of ["a", "b"]) {
    void ask(name).catch(() => undefined);
    await clock.advance(0);
  }
  const early = ask("early", "1").catch(String);
  await clock.advance(1500);
  const late = ask("late", "2");
  await answer(0);
  await clock.advance(500);
  expect(await early).toBe("Error: too late");
  const next = ask("next", "1");
  await answer(1);
  expect(sent()).toEqual(["a", "b", "early late"]);
  await answer(2);
  expect(sent()).toEqual(["a", "b", "early late", "next"]);
  await answer(3);
  expect(await Promise.all([late, next])).toEqual(["answer to late", "answer to next"]);
});

/**
 * Batches that may carry out a call by itself. A statement leaves out the calls whose name begins with "locked", and by itself one
 * whose name begins with "failing" fails.
 */
function setUpAlone() {
  const clock = createManualClock();
  const sent: string[] = [];
  const waiting = new Map<string, () => void>();
  /** Waits for the test. */
  async function send(names: readonly string[]): Promise<readonly string[]> {
    const text = names.join(" ");
    sent.push(text);
    await new Promise<void>((resolve) => waiting.set(text, resolve));
    return names;
  }
  const ask = createBatches<Call, string>({
    startDeadline: () => createDeadline(clock, 2, () => new Error("too late")),
    async carryOut(calls) {
      const names = await send(calls.map(({ name }) => name));
      return names.map((name) => (name.startsWith("locked") ? undefined : name));
    },
    async carryOutAlone({ name }, deadline) {
      const answer = await deadline.race(send([name]));
      if (name.startsWith("failing")) throw new Error(`no ${name}`);
      return `alone: ${answer}`;
    },
  });
  async function answer(text: string): Promise<void> {
    waiting.get(text)?.();
    await clock.advance(0);
  }
  return { clock, ask: (name: string, row = name) => ask({ name, writtenKeys: [row] }), sent, answer };
}

test("carries out a call by itself when it is the only one, and together what comes meanwhile", async () => {
  const { ask, sent, answer, clock } = setUpAlone();
  const first = ask("a");
  await clock.advance(0);
  const others = ["b", "c", "d"].map((name) => ask(name));
  await clock.advance(0);
  expect(sent).toEqual(["a", "b c d"]);
  await answer("b c d");
  expect(await Promise.all(others)).toEqual(["b", "c", "d"]);
  // As long as it waits, a later one is not alone either.
  const later = ask("e");
  await clock.advance(0);
  await answer("e");
  expect(await later).toBe("e");
  await answer("a");
  expect(await first).toBe("alone: a");
  const last = ask("f");
  await clock.advance(0);
  await answer("f");
  expect(await last).toBe("alone: f");
});

test("lets nothing wait for a call that a statement has left out, and gives that call the time it has left", async () => {
  const { ask, sent, answer, clock } = setUpAlone();
  const left = ["locked 1", "locked 2", "locked 3"].map((name) => ask(name).catch(String));
  const beside = ask("a");
  await clock.advance(1000);
  await answer("locked 1 locked 2 locked 3 a");
  expect(await beside).toBe("a");
  expect(sent.slice(1)).toEqual(["locked 1", "locked 2", "locked 3"]);
  const later = Promise.all([ask("b"), ask("c")]);
  await clock.advance(0);
  await answer("b c");
  expect(await later).toEqual(["b", "c"]);
  await answer("locked 1");
  await clock.advance(1000);
  expect(await Promise.all(left)).toEqual(["alone: locked 1", "Error: too late", "Error: too late"]);
  expect(clock.pending).toBe(0);
});

test("carries out a call with others while a statement runs, also if it is the only one that waits", async () => {
  const { ask, sent, answer, clock } = setUpAlone();
  const others = Promise.all([ask("a"), ask("b")]);
  await clock.advance(0);
  const single = ask("c");
  await clock.advance(0);
  expect(sent).toEqual(["a b", "c"]);
  await answer("c");
  expect(await single).toBe("c");
  await answer("a b");
  expect(await others).toEqual(["a", "b"]);
});

test("lets no call of its row wait for a call that is carried out by itself", async () => {
  const { ask, sent, answer, clock } = setUpAlone();
  const only = ask("a", "row");
  await clock.advance(0);
  const next = ask("b", "row");
  await clock.advance(0);
  expect(sent).toEqual(["a", "b"]);
  await answer("b");
  await answer("a");
  expect(await Promise.all([only, next])).toEqual(["alone: a", "b"]);
});

test("never carries out a call by itself whose caller has given up", async () => {
  const { ask, sent, answer, clock } = setUpAlone();
  const asked = ["locked", "a"].map((name) => ask(name).catch(String));
  await clock.advance(2000);
  expect(await Promise.all(asked)).toEqual(["Error: too late", "Error: too late"]);
  await answer("locked a");
  expect(sent).toEqual(["locked a"]);
});

test("rejects a call that fails by itself, and carries out the next one", async () => {
  const { ask, answer, clock } = setUpAlone();
  const failing = ask("failing").catch(String);
  await clock.advance(0);
  await answer("failing");
  const next = ask("a");
  await clock.advance(0);
  await answer("a");
  expect([await failing, await next]).toEqual(["Error: no failing", "alone: a"]);
  expect(clock.pending).toBe(0);
});
