import { EventEmitter, getEventListeners } from "node:events";
import { createManualClock } from "@doorcode/core/testing";
import { expect, test } from "vitest";
import { createStateWaits } from "../../src/http/waits.ts";
import type { ReadLogin } from "../../src/login/state.ts";

/** Requests that wait for the version "v2" of a login. */
function setUp() {
  const clock = createManualClock();
  const changes = new EventEmitter();
  const waits = createStateWaits(clock, changes, 1000);
  const mount = {};
  const login = { version: "v1", reads: 0, endsInSeconds: Number.POSITIVE_INFINITY };
  const wait = (topic = "topic", seconds = 20, topics: readonly string[] = [topic]) => {
    const client = new AbortController();
    const read = async (): Promise<ReadLogin> => {
      login.reads += 1;
      const { version, endsInSeconds } = login;
      return { state: { status: "none", version }, topics, endsInSeconds };
    };
    const request = { after: "v1", seconds, mount, closed: client.signal };
    return { client, end: waits.wait(read, request) };
  };
  return { clock, waits, changes, mount, login, wait };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("three thousand clients that hang up leave neither timer, place nor listener, and the store is not asked for them", async () => {
  const { clock, changes, login, wait } = setUp();
  const signals: AbortSignal[] = [];
  for (let client = 0; client < 3000; client++) {
    const one = wait(`topic ${client}`);
    signals.push(one.client.signal);
    await settled();
    const before = login.reads;
    one.client.abort();
    // Only a thousand may wait at the same time, so each of them has left its place.
    expect((await one.end).cutShort).toBeUndefined();
    expect(login.reads).toBe(before);
  }
  expect([clock.pending, changes.eventNames()]).toEqual([0, []]);
  expect(signals.flatMap((signal) => getEventListeners(signal, "abort"))).toEqual([]);
});

test("a wait reads the state once a second, and immediately after an announcement", async () => {
  const { clock, changes, login, wait } = setUp();
  const { end } = wait();
  await settled();
  const readAfter = [];
  for (let second = 0; second < 5; second++) {
    const before = login.reads;
    await clock.advance(1000);
    readAfter.push(login.reads - before);
  }
  expect(readAfter).toEqual([1, 1, 1, 1, 1]);
  login.version = "v2";
  changes.emit("topic");
  expect((await end).state.version).toBe("v2");
});

test("many waits together read the store a hundred times a second at most; an announced change is seen immediately", async () => {
  const { clock, changes, login, wait } = setUp();
  const all = Array.from({ length: 1000 }, (_, index) => wait(`topic ${index}`));
  await settled();
  for (let second = 0; second < 9; second++) {
    const before = login.reads;
    await clock.advance(1000);
    expect(login.reads - before).toBeLessThanOrEqual(101);
  }
  login.version = "v2";
  changes.emit("topic 7");
  expect((await all[7]?.end)?.state.version).toBe("v2");
  await clock.advance(10_000);
  await Promise.all(all.map(({ end }) => end));
});

test("another mount goes on when one has closed, and none when the kit has", async () => {
  const { waits, changes, wait } = setUp();
  waits.close({});
  const { end } = wait();
  await settled();
  expect(changes.eventNames()).toEqual(["topic"]);
  waits.close();
  expect((await end).cutShort).toBe("closing");
  expect((await wait().end).cutShort).toBe("too_many");
});

test("four waits of a login hold a connection, and a fifth one is told to ask again", async () => {
  const { clock, wait } = setUp();
  const held = Array.from({ length: 4 }, () => wait("one login"));
  await settled();
  expect((await wait("one login").end).cutShort).toBe("too_many");
  const other = wait("another login");
  await clock.advance(20_000);
  for (const { end } of [...held, other]) expect((await end).cutShort).toBeUndefined();
});

test("nothing is waited for while no code is on its way", async () => {
  const { clock, wait } = setUp();
  expect((await wait("topic", 20, []).end).cutShort).toBeUndefined();
  expect(clock.pending).toBe(0);
});

test("a wait reads the state again at the instant at which the login ends by itself", async () => {
  const { clock, login, wait } = setUp();
  login.endsInSeconds = 0.5;
  const { end } = wait();
  await settled();
  login.version = "v2";
  await clock.advance(500);
  expect((await end).state.version).toBe("v2");
});

test("a wait that ends because the kit closes does not ask the store again, which may be closed next", async () => {
  const { login, waits, wait } = setUp();
  const { end } = wait();
  await settled();
  waits.close();
  expect([(await end).cutShort, login.reads]).toEqual(["closing", 1]);
});
