import { createMemoryStore } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { interceptStore } from "./intercepted-store.ts";
import type { TestedStore } from "./tested-store.ts";

/** The memory of this process, which all its stores of one name share. */
export const testedMemory: TestedStore = {
  name: "memory",
  openEntries(appName) {
    const clock = createManualClock();
    const asked = new Set<string>();
    return {
      connect: () =>
        interceptStore(createMemoryStore({ clock, name: appName }), ({ keys }, ask) => {
          for (const key of keys) asked.add(key);
          return ask();
        }),
      passTime: (milliseconds) => clock.advance(milliseconds),
      async countEntries() {
        const entries = entriesOf(appName);
        return [...asked].filter((key) => entries?.find(key, clock.now()) !== undefined).length;
      },
    };
  },
  close: async () => undefined,
};

/** The entries of that app, which every copy of the module finds under this symbol. */
function entriesOf(appName: string): { find(key: string, now: number): unknown } | undefined {
  return Reflect.get(globalThis, Symbol.for(`@doorcode/core memory store ${appName}`));
}
