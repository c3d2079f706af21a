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

test("an attack on fifty countries, of which few are on alert, puts the app on alert; a peak of 20 times does not", async () => {
  const peak = small("a peak of 20 times for two hours");
  const [attack] = small("40 blocks, 5,000 codes a day").attacks;
  if (!attack) throw new Error("There is no attack.");
  const everywhere = Array.from({ length: 50 }, (_, index) => ({
    ...attack,
    country: { code: `country ${index}`, callingCode: String(900 + index) },
    codesPerDay: 15,
  }));
  const [spread, alone] = [{ ...peak, attacks: everywhere }, peak];
  expect((await simulate(spread, defaultLimits, 7)).codesOnAppAlert).toBeGreaterThan(100);
  expect((await simulate(alone, defaultLimits, 7)).codesOnAppAlert).toBe(0);
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
  expect([first.people.refused, first.codesOnAppAlert]).toEqual([0, 0]);
  expect(again).toEqual(first);
});
