import type { Gate, SentCode } from "./gate.ts";
import { blockOf } from "./people.ts";
import type { Random } from "./random.ts";
import { createTextsOfDay } from "./texts-of-day.ts";
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
  /** The part of the logins for numbers that the attacker has proven before. */
  readonly reuse: number;
  /** Whether they begin on a device that is known for the number, and are confirmed on a new one. */
  readonly mintsDevices: boolean;
  /** The devices that the attacker has proven each victim's number with, before its owner has. */
  readonly keptDevices: number;
  /** How often the attacker asks for another code in each login. */
  readonly resends: number;
  /** Whether the attacker leaves a block alone for a while when it refuses. */
  readonly adapts: boolean;
}

/** What is counted of attackers: texts, with those that are sent again. */
export interface AttackCount {
  codes: number;
  sent: number;
  readonly refusedBy: Map<string, number>;
  /** The most of them that one number got within 24 hours, whenever they began. */
  maxOfNumber: number;
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
/** Longer than most pauses between codes, and shorter than the life of one. */
const resendAfterSeconds = 310;

/** Returns the beginnings of an attacker's numbers. */
export function blocksOf({ country, blocks, firstBlock, blocksApart }: Attack): readonly string[] {
  return Array.from({ length: blocks }, (_, index) => blockOf(country, firstBlock + index * blocksApart));
}

/** Lets an attacker ask for codes. */
export function addAttack({ world, random, gate, count }: AttackDeps, attack: Attack): void {
  const blocks = blocksOf(attack);
  const proven: { readonly phone: string; readonly device: string }[] = [];
  const leftAloneUntil = new Map<string, number>();
  const textsOf = createTextsOfDay(world);
  let asked = 0;

  function chooseNumber(): { readonly phone: string; readonly device: string } {
    const device = `attacker-${asked}`;
    if (attack.victims) {
      const kept = random.integer(attack.keptDevices + 1);
      const phone = random.oneOf(attack.victims);
      return { phone, device: kept === 0 ? device : keptDevice(phone, kept) };
    }
    if (proven.length > 0 && random.chance(attack.reuse)) {
      const again = random.oneOf(proven);
      return attack.mintsDevices ? again : { ...again, device };
    }
    const open = attack.adapts ? blocks.filter((block) => (leftAloneUntil.get(block) ?? 0) <= world.now()) : blocks;
    const block = random.oneOf(open.length > 0 ? open : blocks);
    return { phone: block + String(random.integer(10_000)).padStart(4, "0"), device };
  }

  function noteText(sent: SentCode | { readonly refusedBy: string }, phone: string): sent is SentCode {
    count.codes++;
    if ("confirm" in sent) {
      count.sent++;
      count.maxOfNumber = Math.max(count.maxOfNumber, textsOf(phone));
      return true;
    }
    count.refusedBy.set(sent.refusedBy, (count.refusedBy.get(sent.refusedBy) ?? 0) + 1);
    count.firstRefusedAt ??= world.now();
    leftAloneUntil.set(phone.slice(0, -4), world.now() + 3600);
    return false;
  }

  function resend(sent: SentCode, phone: string, left: number): void {
    if (left === 0) return;
    world.at(world.now() + resendAfterSeconds, async () => {
      const again = await sent.resend();
      if (noteText(again, phone)) resend(again, phone, left - 1);
    });
  }

  async function ask(): Promise<void> {
    const { phone, device } = chooseNumber();
    const number = asked++;
    const sent = await gate.request({
      phone,
      country: attack.country.code,
      address: `attacker-${number % attack.addresses}`,
      network: `attacker-${number % attack.networks}`,
      device,
    });
    if (!noteText(sent, phone)) return;
    if (!random.chance(attack.confirm)) return resend(sent, phone, attack.resends);
    world.at(world.now() + 5 + random.fraction() * 20, async () => {
      await sent.confirm(attack.mintsDevices ? `minted-${number}` : device);
      proven.push({ phone, device: attack.mintsDevices ? `minted-${number}` : device });
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
  for (const phone of attack.victims ?? []) addKeptDevices(world, gate, attack, phone);
}

/** Lets the attacker prove the number on each of the devices that are kept, two a day. */
function addKeptDevices(world: World, gate: Gate, { country, fromSeconds, keptDevices }: Attack, phone: string): void {
  for (let kept = 1; kept <= keptDevices; kept++) {
    world.at(fromSeconds - 7 * daySeconds - (kept * daySeconds) / 2, async () => {
      const address = `before-${phone}-${kept}`;
      const device = keptDevice(phone, kept);
      const sent = await gate.request({ phone, country: country.code, address, network: address, device });
      if ("confirm" in sent) await sent.confirm();
    });
  }
}

function keptDevice(phone: string, kept: number): string {
  return `kept-${kept}-of-${phone}`;
}
