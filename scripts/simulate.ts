import { parseArgs } from "node:util";
import { defaultLimits } from "../test/simulation/gate.ts";
import { attacked, honest } from "../test/simulation/scenarios.ts";
import { simulate } from "../test/simulation/simulate.ts";

/*
 * `npm run simulate`: plays honest people and attackers against the limits of sending, and prints whom they refuse. `--only TEXT` plays
 * the scenarios whose title has this text, `--seed N` other random numbers.
 */

const { values } = parseArgs({ options: { only: { type: "string" }, seed: { type: "string" } } });
const seed = Number(values.seed ?? 1);

function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : `${((100 * part) / whole).toFixed(2)} %`;
}

process.stdout.write(
  `Seed ${seed}. Of honest logins: refused, refused in blocks that nobody attacks. Of an attacker's codes: not sent.\n\n`,
);
for (const scenario of [...honest, ...attacked]) {
  if (values.only !== undefined && !scenario.title.includes(values.only)) continue;
  const begun = performance.now();
  const { people, attackers } = await simulate(scenario, defaultLimits, seed);
  const columns = [
    scenario.title.padEnd(54),
    percent(people.refused, people.logins).padStart(9),
    percent(people.refusedElsewhere, people.loginsElsewhere).padStart(9),
    percent(attackers.codes - attackers.sent, attackers.codes).padStart(9),
    `${attackers.sent} of ${attackers.codes}`.padStart(16),
    [...people.refusedBy].map(([limit, count]) => `${limit} ${count}`).join(", "),
    `${((performance.now() - begun) / 1000).toFixed(1)} s`,
  ];
  process.stdout.write(`${columns.join("  ")}\n`);
}
