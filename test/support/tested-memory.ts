import { setImmediate } from "node:timers/promises";
import { createMemoryStore } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { interceptStore } from "./intercepted-store.ts";
import type { TestedStore } from "./tested-store.ts";

/**
 * The memory of this process, which all its stores of one name share. Each call waits for a turn of the event loop, as it would for a
 * database: otherwise requests that race would be handled one after the other.
 */
export const testedMemory: TestedStore = {
  name: "memory",
  openEntries(appName) {
    const clock = createManualClock();
    return {
      connect: () =>
        interceptStore(createMemoryStore({ clock, name: appName }), async (_call, ask) => {
          await setImmediate();
          return ask();
        }),
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
