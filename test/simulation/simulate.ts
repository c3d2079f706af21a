import type { LoginLimits } from "@doorcode/core";
import { type AttackCount, addAttack, blocksOf } from "./attack.ts";
import { createGate } from "./gate.ts";
import { addPeople, createPeopleCount, type PeopleCount } from "./people.ts";
import { createRandom } from "./random.ts";
import { pastSeconds, type Scenario } from "./scenarios.ts";
import { createWorld } from "./world.ts";

/** The result of a scenario. */
export interface Outcome {
  readonly people: PeopleCount;
  readonly attackers: AttackCount;
  /** The most codes that one number got in one day. */
  readonly maxCodesOfNumber: number;
  /** The codes that were asked for while the app was on alert, those of attackers too. */
  readonly codesOnAppAlert: number;
}

/** Plays a scenario with the kit's own limits. The same seed gives the same outcome. */
export async function simulate(scenario: Scenario, limits: LoginLimits, seed: number): Promise<Outcome> {
  const world = createWorld();
  const gate = createGate(world, limits, scenario.hasChallenge ?? false);
  const people = createPeopleCount();
  const attackers: AttackCount = { codes: 0, sent: 0, refusedBy: new Map(), maxOfNumber: 0, firstRefusedAt: undefined };
  const attackedBlocks = new Set(scenario.attacks.flatMap(blocksOf));
  const deps = { world, gate, random: createRandom(seed) };
  await addPeople({
    ...deps,
    habits: scenario.habits,
    attackedBlocks,
    count: people,
    measureFromSeconds: pastSeconds,
    endsSeconds: scenario.endsSeconds ?? Math.max(pastSeconds, ...scenario.attacks.map(({ toSeconds }) => toSeconds)),
  });
  // Attackers have a random source of their own, so that honest people do the same with and without them.
  for (const attack of scenario.attacks)
    addAttack({ world, gate, random: createRandom(seed + 1), count: attackers }, attack);
  await world.runUntil(pastSeconds + scenario.days * 86_400);
  const { maxCodesOfNumber, codesOnAppAlert } = gate;
  return { people, attackers, maxCodesOfNumber: maxCodesOfNumber(), codesOnAppAlert: codesOnAppAlert() };
}
