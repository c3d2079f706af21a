import { expect, test } from "vitest";
import { createBatches } from "../src/store/batches.ts";
import type { KeyCommand } from "../src/store/commands.ts";

const get = (key: string): KeyCommand => ({ name: "get", key, numbers: [], texts: [] });
const list = (name: string, length: number) => Array.from({ length }, (_, index) => get(`${name} ${index}`));

/** Collects calls, and keeps the scripts until the test answers them: with the key of each command. */
function setUp() {
  const scripts: (() => void)[] = [];
  const sizes: number[] = [];
  const send = createBatches((commands) => {
    sizes.push(commands.length);
    return new Promise((resolve) => scripts.push(() => resolve(commands.map(({ key }) => key))));
  });
  return { send, sizes, answer: (script: number) => scripts[script]?.() };
}

test("a call is answered with its own script, while the next one of the same turn is under way", async () => {
  const { send, sizes, answer } = setUp();
  const first = send(list("a", 300));
  const second = send(list("b", 200));
  const third = send(list("c", 200));
  // A full script leaves at once, the last one at the end of the turn.
  expect(sizes).toEqual([300]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(sizes).toEqual([300, 400]);

  answer(0);
  expect((await first).at(-1)).toBe("a 299");
  const answered: string[] = [];
  for (const [name, call] of Object.entries({ second, third })) void call.then(() => answered.push(name));
  await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toEqual([]);
  answer(1);
  expect([(await second)[0], (await third)[0]]).toEqual(["b 0", "c 0"]);
});

test("a call with more commands than a script takes is answered as a whole, in order", async () => {
  const { send, sizes, answer } = setUp();
  const replies = send(list("a", 850));
  await new Promise((resolve) => setImmediate(resolve));
  expect(sizes).toEqual([400, 400, 50]);
  for (const script of [2, 0, 1]) answer(script);
  expect(await replies).toEqual(list("a", 850).map(({ key }) => key));
});
