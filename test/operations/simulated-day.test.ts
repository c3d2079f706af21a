import { createDoorcode, createMemoryStore } from "@doorcode/core";
import { doorcodeParts } from "@doorcode/core/adapter";
import type { Clock } from "@doorcode/core/store";
import { expect, test, vi } from "vitest";
import { countOf, readFigures, valuesOf } from "../../packages/operations/src/figures/read-figures.ts";
import { recordFigures } from "../../packages/operations/src/figures/record-figures.ts";
import { defaultLimits } from "../simulation/gate.ts";
import { attacked } from "../simulation/scenarios.ts";
import { simulate } from "../simulation/simulate.ts";

// A day of logins is played, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000 });

test("the figures of a simulated day under attack equal what the simulator counted", async () => {
  let now = 0;
  const clock: Clock = { now: () => now, schedule: () => () => undefined };
  const doorcode = createDoorcode({ clock, store: createMemoryStore({ clock }), onEvent: () => undefined });
  const { flush } = recordFigures(doorcode);
  const scenario = attacked.find(({ title }) => title === "40 blocks, 5,000 codes a day");
  if (!scenario) throw new Error("There is no such scenario.");
  const countries = scenario.habits.countries.map((country) => ({
    ...country,
    loginsPerDay: country.loginsPerDay / 20,
  }));
  const ofOneDay = { ...scenario, days: 1, habits: { ...scenario.habits, countries } };
  const { people, attackers } = await simulate(ofOneDay, defaultLimits, 7, (event, at) => {
    now = at;
    doorcode[doorcodeParts].publish(event);
  });
  await flush();

  const { total } = await readFigures(doorcode, "today");
  expect(attackers.codes).toBeGreaterThan(4000);
  expect(countOf(total, "sent")).toBe(people.logins - people.refused + attackers.sent);
  const refusedBy = new Map(attackers.refusedBy);
  for (const [limit, count] of people.refusedBy) refusedBy.set(limit, (refusedBy.get(limit) ?? 0) + count);
  const shown = valuesOf(total, "refused", "limit").map(({ value, count }) => [value, count] as const);
  expect(new Map(shown)).toEqual(refusedBy);
});
