import { expect, test, vi } from "vitest";
import { defaultLimits } from "./gate.ts";
import { attacked, honest, type Scenario } from "./scenarios.ts";
import { simulate } from "./simulate.ts";

// Days of logins are played, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000 });

/** A scenario with a twentieth of its people, so that it is played in seconds. */
function small(title: string): Scenario {
  const found = [...honest, ...attacked].find((scenario) => scenario.title === title);
  if (!found) throw new Error(`There is no scenario "${title}".`);
  const countries = found.habits.countries.map((country) => ({ ...country, loginsPerDay: country.loginsPerDay / 20 }));
  return { ...found, habits: { ...found.habits, countries } };
}

test("L25, L37: of the codes of forty attacked blocks 98 of 100 are not sent, few more with resends, and 99 of 100 people log in", async () => {
  const { people, attackers } = await simulate(small("40 blocks, 5,000 codes a day"), defaultLimits, 7);
  const resending = await simulate(small("40 blocks, 5,000 logins a day, four resends each"), defaultLimits, 7);
  expect(attackers.codes).toBeGreaterThan(4000);
  expect(attackers.sent / attackers.codes).toBeLessThan(0.02);
  expect(resending.attackers.sent).toBeLessThan(2 * attackers.sent);
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

test("a launch refuses nobody, and the same seed plays the same people", async () => {
  const first = await simulate(small("a launch in the dense country"), defaultLimits, 7);
  const again = await simulate(small("a launch in the dense country"), defaultLimits, 7);
  expect(first.people.logins).toBeGreaterThan(100);
  expect([first.people.refused, first.codesOnAppAlert]).toEqual([0, 0]);
  expect(again).toEqual(first);
});

test("L33: a number under attack all day by former holders gets few texts, and its known device logs in", async () => {
  const scenario = small("the same, by former holders who have kept eight devices");
  const victims = scenario.habits.victims.slice(0, 10);
  const attacks = scenario.attacks.map((attack) => ({ ...attack, victims, codesPerDay: victims.length * 120 }));
  const ofTen = { ...scenario, habits: { ...scenario.habits, victims }, attacks };
  const { people, attackers, maxCodesOfNumber } = await simulate(ofTen, defaultLimits, 7);
  expect(attackers.codes).toBeGreaterThan(2000);
  expect(attackers.maxOfNumber).toBeLessThanOrEqual(11);
  // With the four or five logins of its owner on each day.
  expect(maxCodesOfNumber).toBeLessThanOrEqual(16);
  expect(people.ownDevice.logins).toBeGreaterThan(100);
  expect(people.ownDevice.refused / people.ownDevice.logins).toBeLessThan(0.05);
});
