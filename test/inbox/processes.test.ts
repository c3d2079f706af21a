import { afterAll, describe, expect, test } from "vitest";
import { instant, messageEvent } from "../support/webhook-setup.ts";
import { createRandom, deliverAll, keyOf, shuffledTwice, statusesOf } from "./deliveries.ts";
import { startEdge } from "./edge.ts";
import { findEngines } from "./inbox-setup.ts";
import { startWorker } from "./start-worker.ts";

const engines = [
  ...(await findEngines()).map((engine) => ({ ...engine, title: engine.name, isTransactional: false })),
  ...(await findEngines({ transactional: true }))
    .filter((engine) => engine.name === "PostgreSQL")
    .map((engine) => ({ ...engine, title: "PostgreSQL, in transactions", isTransactional: true })),
];
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

const sent = messageEvent("SENT", instant(2));
const delivered = messageEvent("DELIVERED", instant(3));

describe.each(engines)("edge and workers in processes of their own, on $title", { timeout: 120_000 }, (engine) => {
  test("a worker handles the events that the edge stored, and ends when it is told to", async () => {
    const setup = await engine.setUp();
    const edge = await startEdge(setup);
    const answer = await edge.deliver(sent);
    const worker = await startWorker({ place: setup.place });
    await worker.published("webhook.handled");
    worker.order("stop");

    expect(await worker.ended()).toBe(0);
    expect(answer.status).toBe(204);
    expect(await setup.effects()).toEqual([keyOf(sent)]);
  });

  test("W8, W14: two workers handle each event once and none after a newer one, despite duplicates and any order", async () => {
    const setup = await engine.setUp();
    const edge = await startEdge(setup);
    const workers = await Promise.all([startWorker({ place: setup.place }), startWorker({ place: setup.place })]);
    const courses = Array.from({ length: 20 }, (_, index) => statusesOf(`msg_${index}`));
    const answers = await deliverAll(edge, shuffledTwice(courses.flat(), createRandom(4)));
    const places = async () => {
      const effects = await setup.effects();
      return courses.map((course) => effects.flatMap((key) => course.map(keyOf).indexOf(key)).filter((at) => at >= 0));
    };
    const lastStates = async () => (await places()).map((of) => of.at(-1));
    await expect.poll(lastStates).toEqual(courses.map(() => 2));
    for (const worker of workers) worker.order("stop");
    await Promise.all(workers.map((worker) => worker.ended()));

    expect(answers).toEqual([204]);
    for (const of of await places()) expect(of).toEqual([...new Set(of)].sort());
    const begun = workers.flatMap(({ notes }) => notes.entries.filter(({ type }) => type === "begun"));
    expect(new Set(begun.map((note) => "key" in note && note.key)).size).toBe(begun.length);
  });

  test("W11: another worker handles the event of a worker that was killed in a handler, and the effect happens once", async () => {
    const setup = await engine.setUp();
    const edge = await startEdge(setup);
    const first = await startWorker({ place: setup.place, halting: ["SENT"] });
    await edge.deliver(sent);
    await first.begun();
    const second = await startWorker({ place: setup.place });
    await first.kill();
    await setup.endHolds();
    await second.published("webhook.handled");
    await edge.deliver(sent);

    expect(await setup.effects()).toEqual([keyOf(sent)]);
    expect(second.notes.entries.filter(({ type }) => type === "begun")).toHaveLength(1);
  });

  test("W22: after a worker was killed in a handler, an older event has no effect after that of its event", async () => {
    const setup = await engine.setUp();
    const edge = await startEdge(setup);
    const first = await startWorker({ place: setup.place, halting: ["DELIVERED"] });
    await edge.deliver(delivered);
    await first.begun();
    await first.kill();
    await edge.deliver(sent);
    await setup.endLeases();
    const second = await startWorker({ place: setup.place });
    await second.notes.reached((note) => note.type === "published" && note.event.key === keyOf(sent));
    await setup.endHolds();
    await expect.poll(async () => (await setup.effects()).includes(keyOf(delivered)), { timeout: 60_000 }).toBe(true);
    await second.published("webhook.handled");

    const begun = second.notes.entries.flatMap((note) => (note.type === "begun" ? [note.status] : []));
    // In a transaction the first handler was rolled back, so an older event may still come before it.
    expect(begun.at(-1)).toBe("DELIVERED");
    expect(begun).toHaveLength(engine.isTransactional ? (await setup.effects()).length : 1);
  });

  test("W12: a worker that was suspended cannot complete an event that another worker has handled", async () => {
    const setup = await engine.setUp();
    const edge = await startEdge(setup);
    const slow = await startWorker({ place: setup.place, halting: ["SENT"] });
    await edge.deliver(sent);
    await slow.begun();
    slow.suspend();
    const next = await startWorker({ place: setup.place });
    await setup.endHolds();
    await next.published("webhook.handled");
    await edge.deliver(delivered);
    await next.published("webhook.handled", 2);
    slow.resume();
    slow.order("go");
    await slow.published("webhook.superseded");
    slow.order("stop");
    await slow.ended();

    expect(await setup.effects()).toEqual([keyOf(sent), keyOf(delivered)]);
    const published = slow.notes.entries.flatMap((note) => (note.type === "published" ? [note.event.type] : []));
    expect(published).not.toContain("webhook.handled");
    const [entity] = await setup.store.get(["doorcode:webhook:message.status.update:msg_1"]);
    const { keys, final } = JSON.parse(entity ?? "{}");
    expect([keys, final]).toEqual([[keyOf(delivered)], true]);
  });

  test("W11: each effect happens once, and every last state is reached, when workers are killed at any point", async () => {
    const setup = await engine.setUp();
    const edge = await startEdge(setup);
    const random = createRandom(11);
    const settings = { place: setup.place, concurrency: 3 };
    const workers = await Promise.all([startWorker(settings), startWorker(settings)]);
    const courses = Array.from({ length: 15 }, (_, index) => statusesOf(`msg_${index}`));
    const answers = await deliverAll(edge, shuffledTwice(courses.flat(), random));
    for (let kills = 0; kills < 4; kills++) {
      const worker = workers.shift();
      const begun = worker?.notes.entries.filter(({ type }) => type === "begun").length ?? 0;
      const more = worker?.begun(begun + 1 + Math.floor(random() * 4));
      await Promise.race([more, everything()]);
      await worker?.kill();
      workers.push(await startWorker(settings));
      await setup.endHolds();
    }
    await everything();
    for (const worker of workers) worker.order("stop");
    await Promise.all(workers.map((worker) => worker.ended()));

    async function everything(): Promise<void> {
      const last = courses.map(([, , payload]) => keyOf(payload));
      const missing = async () => {
        const effects = new Set(await setup.effects());
        const waiting = last.filter((key) => !effects.has(key));
        if (waiting.length > 0) await setup.endHolds();
        return waiting;
      };
      await expect.poll(missing, { timeout: 60_000, interval: 100 }).toEqual([]);
    }

    const effects = await setup.effects();
    expect(answers).toEqual([204]);
    expect(effects).toHaveLength(new Set(effects).size);
    expect(effects).toEqual(expect.arrayContaining(courses.map(([, , payload]) => keyOf(payload))));
    expect(await setup.inbox.deadLetters(10)).toEqual([]);
  });
});
