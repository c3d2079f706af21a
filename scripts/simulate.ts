import { parseArgs } from "node:util";
import type { LoginLimits } from "@doorcode/core";
import { defaultLimits } from "../test/simulation/gate.ts";
import type { Share } from "../test/simulation/people.ts";
import { attacked, honest, pastSeconds, type Scenario } from "../test/simulation/scenarios.ts";
import { type Outcome, simulate } from "../test/simulation/simulate.ts";
import { print } from "./cli-error.ts";

/*
 * `npm run simulate`: plays honest people and attackers against the limits of sending, and prints whom they refuse. `--only TEXT` plays
 * the scenarios whose title has this text, `--seed N` other random numbers, and `--alone` each limit of a group without the others.
 */

const { values } = parseArgs({
  options: { only: { type: "string" }, seed: { type: "string" }, alone: { type: "boolean" } },
});
const seed = Number(values.seed ?? 1);
const groups = ["block", "wide_block", "address", "network"] as const;
const limitsToPlay: readonly LoginLimits[] = values.alone ? groups.map(alone) : [defaultLimits];
/** An ordinary price of a text to Germany, in US dollars. */
const priceOfCode = 0.08;

print(
  "| scenario | honest refused | elsewhere | codes not sent | sent | their cost | first refusal after | honest refused afterwards | on alert of the app |",
);
print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
for (const scenario of [...honest, ...attacked]) {
  if (values.only !== undefined && !scenario.title.includes(values.only)) continue;
  for (const limits of limitsToPlay) {
    const { mode } = limits;
    const title = typeof mode === "string" ? scenario.title : `${scenario.title}: ${enforcedOf(limits)} alone`;
    printRow([title, ...describe(scenario, await simulate(scenario, limits, seed))]);
  }
}
print(
  `\nSeed ${seed}. Elsewhere: of logins in blocks that nobody attacks. Afterwards: from ten minutes after its end.`,
);

/** Returns limits of which only that of one kind of group refuses. */
function alone(enforced: (typeof groups)[number]): LoginLimits {
  const others = groups.filter((group) => group !== enforced);
  return { ...defaultLimits, mode: Object.fromEntries(others.map((group) => [group, "observe"])) };
}

function enforcedOf({ mode }: LoginLimits): string {
  return groups.filter((group) => typeof mode === "string" || mode[group] === undefined).join(", ");
}

function describe(
  { attacks, endsSeconds }: Scenario,
  { people, attackers, maxCodesOfNumber, codesOnAppAlert }: Outcome,
): readonly string[] {
  const { ownDevice, newDevice } = people;
  return [
    percent(people.refused, people.logins),
    percent(people.refusedElsewhere, people.loginsElsewhere),
    percent(attackers.codes - attackers.sent, attackers.codes),
    attacks.length === 0 ? "" : `${attackers.sent} of ${attackers.codes}`,
    attacks.length === 0 ? "" : `$${Math.round(attackers.sent * priceOfCode)}`,
    attackers.firstRefusedAt === undefined ? "" : minutes(attackers.firstRefusedAt - pastSeconds),
    endsSeconds === undefined && attacks.length === 0 ? "" : share(people.afterwards),
    String(codesOnAppAlert),
    ...(ownDevice.logins > 0 ? [`own device refused ${share(ownDevice)}, new device ${share(newDevice)}`] : []),
    ...(ownDevice.logins > 0
      ? [`at most ${maxCodesOfNumber} texts a day for one number, ${attackers.maxOfNumber} of them of attackers`]
      : []),
  ];
}

function share({ refused, logins }: Share): string {
  return percent(refused, logins);
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "" : `${((100 * part) / whole).toFixed(2)} %`;
}

function minutes(seconds: number): string {
  return `${(seconds / 60).toFixed(1)} min`;
}

function printRow(columns: readonly string[]): void {
  print(`| ${columns.join(" | ")} |`);
}
