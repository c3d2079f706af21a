import type { World } from "./world.ts";

const daySeconds = 86_400;

/** Creates the function that notes a text to a number, and returns how many the number got within the last 24 hours. */
export function createTextsOfDay(world: World): (phone: string) => number {
  const sentAt = new Map<string, number[]>();
  return (phone) => {
    const recent = [...(sentAt.get(phone) ?? []).filter((at) => at > world.now() - daySeconds), world.now()];
    sentAt.set(phone, recent);
    return recent.length;
  };
}
