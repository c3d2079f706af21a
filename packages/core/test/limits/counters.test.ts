import { createMemoryStore } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { expect, test } from "vitest";
import { type Counter, createCounters } from "../../src/limits/counters.ts";
import type { Store } from "../../src/store/store.ts";

function setUp() {
  const clock = createManualClock(Date.UTC(2026, 8, 24));
  const memory = createMemoryStore({ clock });
  const asked: string[] = [];
  const store: Store = {
    ...memory,
    increment(changes) {
      asked.push(...changes.map(({ key }) => key));
      return memory.increment(changes);
    },
  };
  const createProcess = () => createCounters({ store, clock });
  return { clock, asked, createProcess };
}

const total = (by: number): Counter => ({
  name: "country.logins.today",
  key: "total",
  by,
  ttlSeconds: 86_400,
  shared: true,
});

test("a process knows at once what it has added to a total, and others within five seconds", async () => {
  const { clock, createProcess } = setUp();
  const [own, other] = [createProcess(), createProcess()];
  const read = async (process: typeof own) => (await process.increment([total(0)])).get("country.logins.today")?.count;
  expect([await read(own), await read(other)]).toEqual([0, 0]);
  own.add([total(3)]);
  await own.giveBack([total(1)]);
  expect([await read(own), await read(other)]).toEqual([2, 0]);
  await clock.advance(5000);
  expect([await read(own), await read(other)]).toEqual([2, 2]);
});

test("a process tells of twenty immediately, and asks for a total once in five seconds", async () => {
  const { clock, asked, createProcess } = setUp();
  const [own, other] = [createProcess(), createProcess()];
  for (let code = 0; code < 10; code++) await own.increment([total(0)]);
  expect(asked).toHaveLength(1);
  own.add([total(20)]);
  await own.increment([total(0)]);
  expect((await other.increment([total(0)])).get("country.logins.today")?.count).toBe(20);
  await clock.advance(5000);
  await own.increment([total(0)]);
  expect(asked).toHaveLength(4);
});
