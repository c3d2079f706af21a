import { configDefaults, defineConfig } from "vitest/config";
import { findChromium } from "./test/support/chromium.ts";
import { SlowestFirst } from "./test/support/slowest-first.ts";

/** Tests read the packages' sources, so that nothing has to be built first. */
const source = "@doorcode/source";

/** Every test file; those of the page only where there is a Chromium. What this leaves out, the test command names. */
const all = ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"];
const left = [...configDefaults.exclude, ...(findChromium() ? [] : ["test/page/**"])];

/** They stop servers and processes, or change their own process: each file has a process of its own. */
const separate = [
  "packages/sandbox/test/**/*.test.ts",
  "test/{chaos,examples,faults,inbox,page,stores,structure}/**/*.test.ts",
];

export default defineConfig({
  ssr: { resolve: { conditions: [source, "node"], externalConditions: [source, "node"] } },
  test: {
    globalSetup: "test/support/global-setup.ts",
    // For a test that hangs, on a busy machine: none measures time.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: "100%",
    sequence: { sequencer: SlowestFirst },
    projects: [
      { extends: true, test: { name: "separate", include: separate, exclude: left } },
      // These share the processes of the workers, which saves most of their time: modules are loaded once.
      { extends: true, test: { name: "shared", include: all, exclude: [...left, ...separate], isolate: false } },
    ],
  },
});
