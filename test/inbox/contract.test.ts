import type { InboxEntry, InboxHandler, InboxVerdict, InboxWorker, TakenEntry } from "@doorcode/core/inbox";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { findEngines, findValkey, type InboxSetup, startPgliteEngine } from "./inbox-setup.ts";
import { createJournal } from "./journal.ts";

const engines = [...(await findEngines()), ...(await findValkey()), await startPgliteEngine()];
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

const complete: InboxVerdict = { action: "complete" };
const error = { name: "Error", code: "oops", message: "no luck" };

function entry(digit: string, body = "{}"): InboxEntry {
  return { key: digit.repeat(64), body };
}

/** Starts a worker with the verdicts of a test. It records the entries that it takes. */
async function startWorking(
  { inbox }: InboxSetup,
  judge: (entry: TakenEntry) => InboxVerdict | Promise<InboxVerdict> = () => complete,
  concurrency = 4,
) {
  const taken = createJournal<TakenEntry>();
  const errors: unknown[] = [];
  const handle: InboxHandler = async (given) => {
    taken.note(given);
    return judge(given);
  };
  const worker: InboxWorker = await inbox.work(handle, { concurrency, onError: (thrown) => errors.push(thrown) });
  onTestFinished(async () => {
    await worker.stop({ limitSeconds: 1 });
    await inbox.close();
  });
  return { taken, worker, errors };
}

describe.each(engines)("an inbox on $name", (engine) => {
  test("hands out entries that are added before and after the worker starts, and reports no error", async () => {
    const setup = await engine.setUp();
    await setup.inbox.add(entry("a", "first"));
    const { taken, errors } = await startWorking(setup);
    await taken.reached(() => true);
    await setup.inbox.add(entry("b", "second"));
    await taken.reached(() => true, 2);

    expect(taken.entries).toEqual([
      { ...entry("a", "first"), failures: 0, replayed: false, deaths: 0 },
      { ...entry("b", "second"), failures: 0, replayed: false, deaths: 0 },
    ]);
    expect(errors).toEqual([]);
  });

  test("returns every body unchanged", async () => {
    const bodies = ["", "\u0000", "\ud83d\ude00 \u2028", '"\\u0000"', "\u0001\u0000", "x".repeat(1_048_576), "{}"];
    const setup = await engine.setUp();
    for (const [index, body] of bodies.entries()) await setup.inbox.add(entry(String(index), body));
    const { taken } = await startWorking(setup);
    await taken.reached(() => true, bodies.length);
    const byKey = [...taken.entries].sort((left, right) => (left.key < right.key ? -1 : 1));
    expect(byKey.map(({ body }) => body)).toEqual(bodies);
  });

  test("keeps a key once when twenty callers add it at the same time, and while it is being handled", async () => {
    const setup = await engine.setUp();
    const gate = createBarrier();
    await Promise.all(Array.from({ length: 20 }, () => setup.inbox.add(entry("a"))));
    const { taken } = await startWorking(setup, async () => {
      await gate.pass();
      return complete;
    });
    await gate.arrived(1);
    await setup.inbox.add(entry("a"));
    gate.open();
    await setup.inbox.add(entry("b"));
    await taken.reached(({ key }) => key === entry("b").key);
    expect(taken.entries.filter(({ key }) => key === entry("a").key)).toHaveLength(1);
  });

  test("recognizes a key after its entry was completed", async () => {
    const setup = await engine.setUp();
    const { taken } = await startWorking(setup, undefined, 1);
    const handled = (digit: string) => taken.reached(({ key }) => key === entry(digit).key);
    await setup.inbox.add(entry("a"));
    await setup.inbox.add(entry("b"));
    // One at a time: when the second is taken, the first is complete.
    await handled("b");
    await setup.inbox.add(entry("a"));
    await setup.inbox.add(entry("c"));
    await handled("c");
    expect(taken.entries).toHaveLength(3);
  });

  test("hands out an entry again after a retry verdict, with its number of failures", async () => {
    const setup = await engine.setUp();
    const verdicts: InboxVerdict[] = [
      { action: "retry", afterSeconds: 0.02, failures: 1 },
      { action: "retry", afterSeconds: 0.02, failures: 1 },
      { action: "retry", afterSeconds: 0.02, failures: 7 },
    ];
    const { taken } = await startWorking(setup, () => verdicts.shift() ?? complete);
    await setup.inbox.add(entry("a", "body"));
    await taken.reached(() => true, 4);
    expect(taken.entries.map(({ failures }) => failures)).toEqual([0, 1, 1, 7]);
    expect(new Set(taken.entries.map(({ body }) => body))).toEqual(new Set(["body"]));
    expect(await setup.inbox.deadLetters(10)).toEqual([]);
  });

  test("lists dead letters with their error, the newest first, up to the limit", async () => {
    const setup = await engine.setUp();
    await startWorking(setup, () => ({ action: "dead_letter", error }), 1);
    for (const digit of ["a", "b", "c"]) {
      await setup.inbox.add(entry(digit, `body ${digit}`));
      const newest = async () => (await setup.inbox.deadLetters(1))[0]?.key;
      await expect.poll(newest).toBe(entry(digit).key);
    }
    const deadLetters = await setup.inbox.deadLetters(2);
    expect(deadLetters.map(({ key, body }) => [key, body])).toEqual([
      [entry("c").key, "body c"],
      [entry("b").key, "body b"],
    ]);
    expect(deadLetters[0]?.error).toEqual(error);
    expect(Math.abs((deadLetters[0]?.failedAtMilliseconds ?? 0) - Date.now())).toBeLessThan(3_600_000);
  });

  test("finds the dead letters among keys, and no other entries", async () => {
    const setup = await engine.setUp();
    const { inbox } = setup;
    const numbered = Array.from({ length: 120 }, (_, index) => ({
      key: String(index).padStart(64, "0"),
      body: `${index}`,
    }));
    const isDead = (key: string) => Number(key) % 2 === 0;
    const { worker } = await startWorking(setup, ({ key }) =>
      isDead(key) ? { action: "dead_letter", error } : complete,
    );
    await Promise.all(numbered.map((each) => inbox.add(each)));
    await expect.poll(() => inbox.counts()).toEqual({ open: 0, dead: 60 });
    await worker.stop({ limitSeconds: 5 });
    await inbox.add(entry("a"));

    const found = await inbox.findDeadLetters([...numbered.map(({ key }) => key), entry("a").key, entry("b").key]);
    const byKey = found.toSorted((left, right) => (left.key < right.key ? -1 : 1));
    expect(byKey.map(({ key, body }) => ({ key, body }))).toEqual(numbered.filter(({ key }) => isDead(key)));
    expect(found.every((letter) => letter.error.message === error.message)).toBe(true);
    const [newest] = await inbox.deadLetters(1);
    expect(await inbox.findDeadLetters([newest?.key ?? ""])).toEqual([newest]);
    expect(await inbox.findDeadLetters([])).toEqual([]);
  });

  test("counts open entries and dead letters, and discards a dead letter once and nothing else", async () => {
    const setup = await engine.setUp();
    const { taken } = await startWorking(setup, ({ key }) =>
      key === entry("a").key ? { action: "dead_letter", error } : { action: "retry", afterSeconds: 60, failures: 1 },
    );
    for (const digit of ["a", "b"]) await setup.inbox.add(entry(digit));
    await taken.reached(() => true, 2);
    await expect.poll(() => setup.inbox.counts()).toEqual({ open: 1, dead: 1 });
    const discarded = [];
    for (const digit of ["b", "a", "a", "c"]) discarded.push(await setup.inbox.discard(entry(digit).key));
    expect(discarded).toEqual([false, true, false, false]);
    expect(await setup.inbox.deadLetters(10)).toEqual([]);
    expect(await setup.inbox.counts()).toEqual({ open: 1, dead: 0 });
  });

  test("either replays or discards a dead letter when both are asked for at the same time", async () => {
    const setup = await engine.setUp();
    const { inbox } = setup;
    const keys = Array.from({ length: 60 }, (_, index) => String(index).padStart(64, "0"));
    await Promise.all(keys.map((key) => inbox.add({ key, body: "" })));
    const { worker } = await startWorking(setup, () => ({ action: "dead_letter", error }));
    await expect.poll(() => inbox.counts()).toEqual({ open: 0, dead: keys.length });
    await worker.stop({ limitSeconds: 5 });
    // The discard comes up to five round trips after the replay.
    const discard = async (key: string, index: number) => {
      for (let trips = 0; trips < index % 6; trips++) await inbox.counts();
      return inbox.discard(key);
    };
    const answers = await Promise.all(
      keys.map((key, index) => Promise.all([inbox.replay(key), discard(key, index)] as const)),
    );
    expect(answers.filter(([isReplayed, isDiscarded]) => isReplayed === isDiscarded)).toEqual([]);
    const replayed = keys.filter((_, index) => answers[index]?.[0]);
    expect(await inbox.counts()).toEqual({ open: replayed.length, dead: 0 });
    const { taken } = await startWorking(setup);
    await taken.reached(() => true, replayed.length);
    expect(taken.entries.map(({ key }) => key).toSorted()).toEqual(replayed);
  });

  test("keeps a dead letter as it is when its event is added again", async () => {
    const setup = await engine.setUp();
    await startWorking(setup, () => ({ action: "dead_letter", error }));
    await setup.inbox.add(entry("a", "first"));
    await expect.poll(() => setup.inbox.deadLetters(1)).toHaveLength(1);
    await setup.inbox.add(entry("a", "again"));
    expect(await setup.inbox.deadLetters(10)).toMatchObject([{ ...entry("a", "first"), error }]);
    expect(await setup.inbox.counts()).toEqual({ open: 0, dead: 1 });
  });

  test("replays a dead letter once, as a new entry but for its mark as a replay", async () => {
    const setup = await engine.setUp();
    const gate = createBarrier();
    const { taken } = await startWorking(setup, async ({ failures, replayed }) => {
      if (failures === 0 && replayed) await gate.pass();
      if (failures === 0) return { action: "retry", afterSeconds: 0.02, failures: 3 };
      return replayed ? complete : { action: "dead_letter", error };
    });
    await setup.inbox.add(entry("a", "body"));
    await expect.poll(() => setup.inbox.deadLetters(1)).toHaveLength(1);
    const first = await setup.inbox.replay(entry("a").key);
    await gate.arrived(1);
    const underWay = await setup.inbox.replay(entry("a").key);
    gate.open();
    await taken.reached(() => true, 4);
    expect([first, underWay]).toEqual([true, false]);
    expect(taken.entries).toEqual([
      { ...entry("a", "body"), failures: 0, replayed: false, deaths: 0 },
      { ...entry("a", "body"), failures: 3, replayed: false, deaths: 0 },
      { ...entry("a", "body"), failures: 0, replayed: true, deaths: 0 },
      { ...entry("a", "body"), failures: 3, replayed: true, deaths: 0 },
    ]);
    expect(await setup.inbox.deadLetters(10)).toEqual([]);
  });

  test("counts the workers in a row that died with an event: a verdict ends the count unless it keeps it", async () => {
    const setup = await engine.setUp();
    const gate = createBarrier();
    const retry = { action: "retry", afterSeconds: 60, failures: 1 } as const;
    const keep = { ...retry, keepsDeaths: true };
    await setup.inbox.add(entry("a"));
    await setup.setDeaths(entry("a").key, 20);
    const deaths: (number | undefined)[] = [];
    for (const verdict of [keep, retry, "dies", keep, "dies", complete] as const) {
      const dies = verdict === "dies";
      const { taken, worker } = await startWorking(setup, () => (dies ? gate.pass().then(() => complete) : verdict));
      await taken.reached(() => true);
      await worker.stop({ limitSeconds: dies ? 0.05 : 5 });
      await setup.endHolds();
      deaths.push(taken.entries[0]?.deaths);
    }
    gate.open();
    expect(deaths).toEqual([20, 20, 0, 1, 1, 2]);
  });

  test("tells how many workers died with an event, and counts anew after a replay", async () => {
    const setup = await engine.setUp();
    const { key } = entry("a");
    await setup.inbox.add(entry("a", "body"));
    await setup.setDeaths(key, 21);
    const { taken } = await startWorking(setup, async ({ deaths }) =>
      deaths > 0 ? { action: "dead_letter", error } : complete,
    );
    await expect.poll(() => setup.inbox.deadLetters(10)).toMatchObject([{ ...entry("a", "body"), error }]);
    expect(await setup.inbox.replay(key)).toBe(true);
    await taken.reached(() => true, 2);
    expect(taken.entries).toEqual([
      { ...entry("a", "body"), failures: 0, replayed: false, deaths: 21 },
      { ...entry("a", "body"), failures: 0, replayed: true, deaths: 0 },
    ]);
  });

  test("replays a dead letter once when ten callers ask, replays a completed entry, and rejects an unknown key", async () => {
    const setup = await engine.setUp();
    const gate = createBarrier();
    const { taken } = await startWorking(setup, async ({ replayed }) => {
      if (replayed) await gate.pass();
      return complete;
    });
    const { key } = entry("a");
    await setup.inbox.add(entry("a"));
    await setup.inbox.add(entry("b"));
    await taken.reached(() => true, 2);
    await expect.poll(() => setup.inbox.replay(entry("b").key)).toBe(true);
    await gate.arrived(1);
    // The entry that was taken first is complete by now, or very soon.
    const ten = () => Promise.all(Array.from({ length: 10 }, () => setup.inbox.replay(key)));
    const answers: (readonly boolean[])[] = [];
    await expect.poll(async () => answers.push(await ten()) && answers.flat()).toContain(true);
    await gate.arrived(2);
    expect(answers.flat().filter(Boolean)).toHaveLength(1);
    expect(await setup.inbox.replay(entry("c").key)).toBe(false);
    gate.open();
    await taken.reached(() => true, 4);
    expect(taken.entries.filter((given) => given.key === key).map(({ replayed }) => replayed)).toEqual([false, true]);
  });

  test("hands out as many entries at once as the concurrency allows", async () => {
    const setup = await engine.setUp();
    const gate = createBarrier();
    let atOnce = 0;
    let most = 0;
    const { taken } = await startWorking(
      setup,
      async () => {
        most = Math.max(most, ++atOnce);
        await gate.pass();
        atOnce--;
        return complete;
      },
      3,
    );
    for (const digit of "0123456789") await setup.inbox.add(entry(digit));
    await gate.arrived(3);
    gate.open();
    await taken.reached(() => true, 10);
    expect(most).toBe(3);
  });

  test("stops when the running handlers are done, and takes no more entries", async () => {
    const setup = await engine.setUp();
    const gate = createBarrier();
    const order: string[] = [];
    const { taken, worker } = await startWorking(setup, async () => {
      await gate.pass();
      order.push("done");
      return complete;
    });
    await setup.inbox.add(entry("a"));
    await gate.arrived(1);
    const stopped = worker.stop({ limitSeconds: 60 }).then(() => order.push("stopped"));
    await setup.inbox.add(entry("b"));
    gate.open();
    await stopped;
    expect(order).toEqual(["done", "stopped"]);
    expect(taken.entries).toHaveLength(1);
  });

  test("gives up an unfinished entry at the limit, and another worker gets it", async () => {
    const setup = await engine.setUp();
    const gate = createBarrier();
    const { worker } = await startWorking(setup, async () => {
      await gate.pass();
      return complete;
    });
    await setup.inbox.add(entry("a"));
    await gate.arrived(1);
    await worker.stop({ limitSeconds: 0.05 });
    const next = await startWorking(setup);
    await setup.endHolds();
    await next.taken.reached(() => true);
    gate.open();
    expect(next.taken.entries[0]?.key).toBe(entry("a").key);
  });

  test("refuses every call once it is closed", async () => {
    const { inbox } = await engine.setUp();
    await inbox.add(entry("a"));
    await inbox.close();
    await inbox.close();
    const handle = async () => complete;
    for (const call of [
      inbox.add(entry("b")),
      inbox.deadLetters(1),
      inbox.findDeadLetters([entry("a").key]),
      inbox.replay(entry("a").key),
      inbox.work(handle, { concurrency: 1, onError: () => undefined }),
    ]) {
      await expect(call).rejects.toThrow(TypeError);
      await expect(call).rejects.toThrow(/^The inbox was closed: create another/);
    }
  });
});
