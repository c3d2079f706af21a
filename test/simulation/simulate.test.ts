import { expect, test } from "vitest";
import { defaultLimits } from "./gate.ts";
import { attacked, honest, type Scenario } from "./scenarios.ts";
import { simulate } from "./simulate.ts";

/** A scenario with a tenth of its people, so that it is played in seconds. */
function small(title: string): Scenario {
  const found = [...honest, ...attacked].find((scenario) => scenario.title === title);
  if (!found) throw new Error(`There is no scenario "${title}".`);
  const countries = found.habits.countries.map((country) => ({ ...country, loginsPerDay: country.loginsPerDay / 10 }));
  return { ...found, habits: { ...found.habits, countries } };
}

test("L25: of the codes of forty attacked blocks 98 of 100 are not sent, and 99 of 100 people log in meanwhile", async () => {
  const { people, attackers } = await simulate(small("40 blocks, 5,000 codes a day"), defaultLimits, 7);
  expect(attackers.codes).toBeGreaterThan(4000);
  expect(attackers.sent / attackers.codes).toBeLessThan(0.02);
  expect(people.refused / people.logins).toBeLessThan(0.01);
});

test("in the mode observe all of them are sent", async () => {
  const limits = { ...defaultLimits, mode: "observe" } as const;
  const { people, attackers } = await simulate(small("40 blocks, 5,000 codes a day"), limits, 7);
  expect([attackers.sent, people.refused]).toEqual([attackers.codes, 0]);
});

test("a launch refuses nobody, and the same seed plays the same people", async () => {
  const first = await simulate(small("a launch in the dense country"), defaultLimits, 7);
  const again = await simulate(small("a launch in the dense country"), defaultLimits, 7);
  expect(first.people.logins).toBeGreaterThan(100);
  expect(first.people.refused).toBe(0);
  expect(again).toEqual(first);
});
