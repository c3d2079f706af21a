import { createMemoryStore } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import type { TestedStore } from "./tested-store.ts";

/** The memory of this process, which all its stores of one name share. */
export const testedMemory: TestedStore = {
  name: "memory",
  openEntries(appName) {
    const clock = createManualClock();
    return {
      connect: () => createMemoryStore({ clock, name: appName }),
      passTime: (milliseconds) => clock.advance(milliseconds),
      async countEntries() {
        const entries: Iterable<{ readonly expiresAt: number }> = tableOf(appName)?.values() ?? [];
        return [...entries].filter(({ expiresAt }) => expiresAt > clock.now()).length;
      },
    };
  },
  close: async () => undefined,
};

/** The entries of that app, which every copy of the module finds under this symbol. */
function tableOf(appName: string): Map<string, { readonly expiresAt: number }> | undefined {
  return Reflect.get(globalThis, Symbol.for(`@doorcode/core memory store ${appName}`));
}
