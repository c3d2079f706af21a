import type { Gate } from "./gate.ts";
import { blockOf } from "./people.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** Someone who has codes sent to numbers of their own, because each code earns them money. */
export interface Attack {
  readonly country: { readonly code: string; readonly callingCode: string };
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly codesPerDay: number;
  /** The blocks of the attacker's numbers: so many, beginning with this one, so far apart. */
  readonly blocks: number;
  readonly firstBlock: number;
  readonly blocksApart: number;
  /** The numbers of other people, instead of blocks of the attacker's own. */
  readonly victims?: readonly string[];
  /** The part of the codes that the attacker confirms. */
  readonly confirm: number;
  readonly addresses: number;
  readonly networks: number;
  /** The part of the codes for numbers that the attacker has proven before. */
  readonly reuse: number;
  /** Whether the attacker leaves a block alone for a while when it refuses. */
  readonly adapts: boolean;
}

/** What is counted of attackers. */
export interface AttackCount {
  codes: number;
  sent: number;
  /** The time of the first refusal. */
  firstRefusedAt: number | undefined;
}

/** Everything that an attacker needs. */
export interface AttackDeps {
  readonly world: World;
  readonly random: Random;
  readonly gate: Gate;
  readonly count: AttackCount;
}

const daySeconds = 86_400;

/** Returns the beginnings of an attacker's numbers. */
export function blocksOf({ country, blocks, firstBlock, blocksApart }: Attack): readonly string[] {
  return Array.from({ length: blocks }, (_, index) => blockOf(country, firstBlock + index * blocksApart));
}

/** Lets an attacker ask for codes. */
export function addAttack({ world, random, gate, count }: AttackDeps, attack: Attack): void {
  const blocks = blocksOf(attack);
  const proven: string[] = [];
  const leftAloneUntil = new Map<string, number>();
  let asked = 0;

  function chooseNumber(): string {
    if (attack.victims) return random.oneOf(attack.victims);
    if (proven.length > 0 && random.chance(attack.reuse)) return random.oneOf(proven);
    const open = attack.adapts ? blocks.filter((block) => (leftAloneUntil.get(block) ?? 0) <= world.now()) : blocks;
    return random.oneOf(open.length > 0 ? open : blocks) + String(random.integer(10_000)).padStart(4, "0");
  }

  async function ask(): Promise<void> {
    const phone = chooseNumber();
    const number = asked++;
    count.codes++;
    const sent = await gate.request({
      phone,
      country: attack.country.code,
      address: `attacker-${number % attack.addresses}`,
      network: `attacker-${number % attack.networks}`,
      device: `attacker-${number}`,
    });
    if ("refusedBy" in sent) {
      count.firstRefusedAt ??= world.now();
      leftAloneUntil.set(phone.slice(0, -4), world.now() + 3600);
      return;
    }
    count.sent++;
    if (!random.chance(attack.confirm)) return;
    world.at(world.now() + 5 + random.fraction() * 20, async () => {
      await sent.confirm();
      proven.push(phone);
    });
  }

  const next = () => {
    const at = world.now() + random.secondsUntilNext(attack.codesPerDay / daySeconds);
    if (at >= attack.toSeconds) return;
    world.at(at, async () => {
      await ask();
      next();
    });
  };
  world.at(attack.fromSeconds, next);
}
