import { registerHooks } from "node:module";
import { parentPort, workerData } from "node:worker_threads";

import type { ExplorationTask } from "./explore-all.ts";
import { hurry } from "./hurry.ts";
import { orderSealing } from "./sealing.ts";

/*
 * Explores scenarios in a thread. The threads of an exploration take one scenario after the other. For a mutation, the thread loads a
 * source that is changed in memory: the files stay as they are.
 */

const { extent, only, next, mutation, inFile } = workerData as ExplorationTask;

if (mutation) {
  registerHooks({
    load(url, context, load) {
      const loaded = load(url, context);
      if (!url.endsWith(`/packages/core/src/${mutation.file}`)) return loaded;
      const source = new TextDecoder().decode(loaded.source as Uint8Array);
      if (source.split(mutation.code).length !== 2) throw new Error(`${mutation.file} does not have the code once.`);
      return { ...loaded, source: source.replace(mutation.code, () => mutation.becomes) };
    },
  });
}
hurry();
orderSealing();

const { explore } = await import("./explore.ts");
const { scenarios } = await import("./scenarios.ts");
const places = new Int32Array(next);
for (let index = take(); index < scenarios.length; index = take()) {
  const scenario = scenarios[index];
  if (!scenario?.title.includes(only)) continue;
  const schedules = Math.ceil(extent.schedules / scenarios.length);
  const options = { ...scenario.options, inFile };
  const explored = await explore({ ...scenario, options }, { ...extent, schedules });
  parentPort?.postMessage({ index, explored });
  if (extent.endsWhenBroken && explored.failures.length > 0) break;
}

function take(): number {
  return Atomics.add(places, 0, 1);
}
