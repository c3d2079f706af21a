import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { exploreAll } from "./explore-all.ts";
import { invariants } from "./invariants.ts";
import { mutations } from "./mutations.ts";

/** `npm run explore` runs 100,000 schedules. */
const {
  DOORCODE_EXPLORE_SCHEDULES: schedules = 1000,
  DOORCODE_EXPLORE_SEED: seed = 1,
  DOORCODE_EXPLORE_ONLY: only = "",
  DOORCODE_EXPLORE_MUTATIONS: runsMutations,
} = process.env;
const extent = { schedules: Number(schedules), seed: Number(seed), only };

/** For a schedule that hangs, on a busy machine. Node 22 takes four times as long as Node 24. */
const timeout = 1_800_000 * Math.ceil(extent.schedules / 10_000);

test("L2, L19, L21, L24, W8, W11, W14: after each of 1,000 schedules of calls and faults every invariant holds", {
  timeout,
}, async () => {
  const explored = await exploreAll(extent);
  const broken = explored.flatMap(({ failures }) =>
    failures.map(({ scenario, invariant, how, trace }) => [scenario, invariant, how, ...trace].join("\n")),
  );

  expect(broken).toEqual([]);
  expect(explored).not.toEqual([]);
  const run = explored.reduce((sum, { systematic, random }) => sum + systematic + random, 0);
  expect(run).toBeGreaterThanOrEqual(only === "" ? extent.schedules : 1);
});

test("L2, L19, L21, L24, W8, W11, W14: every invariant holds with a store in a file of SQLite, after the same schedules", {
  timeout,
}, async () => {
  // A thread takes longer to load the kit than to explore so few.
  const few = { ...extent, schedules: extent.schedules / 10, ...(extent.schedules < 10_000 && { threads: 1 }) };
  const inFile = await exploreAll({ ...few, inFile: true });
  const inMemory = await exploreAll(few);

  expect(inFile.flatMap(({ failures }) => failures)).toEqual([]);
  // The same seed gives the same schedules, and the same calls can go on at each step.
  expect(inFile).toEqual(inMemory);
});

test("a mutation breaks an invariant, and the smallest schedule that shows it is printed", { timeout }, async () => {
  const mutation = mutations.find(({ change }) => change === "after a double click any code is right");
  const explored = await exploreAll({
    ...{ schedules: 10_000, seed: 1, only: "the right code and a wrong one", threads: 1, endsWhenBroken: true },
    mutation: mutation ?? expect.fail("The list has no such mutation."),
  });
  const [failure] = explored.flatMap(({ failures }) => failures);

  expect(failure?.invariant).toBe("A login logs in once, and only with its right code.");
  expect(failure?.schedule.length).toBeLessThanOrEqual(3);
  expect(failure?.trace.join("\n")).toContain("B wrong code: get approved →");
  expect(failure?.trace).toContain("B wrong code: 200 logged_in");
});

test.each(mutations)(
  "the code of a mutation, and its invariant, exist: $file, $change",
  ({ file, code, invariant }) => {
    const source = readFileSync(resolve(import.meta.dirname, "../../packages/core/src", file), "utf8");

    expect(source.split(code)).toHaveLength(2);
    expect(invariants.map(({ holds }) => holds)).toContain(invariant);
  },
);

// Takes hours: with DOORCODE_EXPLORE_MUTATIONS=1.
test.each(runsMutations ? mutations : [])("its invariant notices that $change", { timeout }, async (mutation) => {
  // One thread, so that the number of schedules is always the same.
  const explored = await exploreAll({ schedules: 30_000, seed: 1, mutation, endsWhenBroken: true, threads: 1 });
  const broken = explored.flatMap(({ failures }) => failures.map(({ invariant }) => invariant));

  expect(broken).toContain(mutation.invariant);
});
