import { configDefaults, defineConfig } from "vitest/config";
import { findChromium } from "./test/support/chromium.ts";

/** Tests read the packages' sources, so that nothing has to be built first. */
const source = "@doorcode/source";

export default defineConfig({
  ssr: { resolve: { conditions: [source, "node"], externalConditions: [source, "node"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    // What this leaves out, the test command names.
    exclude: [...configDefaults.exclude, ...(findChromium() ? [] : ["test/page/**"])],
    globalSetup: "test/support/build.ts",
    // For a test that hangs, on a busy machine: none measures time.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
