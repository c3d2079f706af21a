import { join } from "node:path";
import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.ts";

const packages = join(import.meta.dirname, "../../packages");

/** The tests in a copy of the repository whose sources are mutated, on the memory store alone. */
export default defineConfig({
  ...(shared.ssr && { ssr: shared.ssr }),
  resolve: {
    // The copy shares node_modules with the repository, where a package's name leads to the sources without mutants.
    alias: [
      { find: /^@doorcode\/([\w-]+)$/, replacement: join(packages, "$1/src/index.ts") },
      { find: /^@doorcode\/([\w-]+)\/([\w-]+)$/, replacement: join(packages, "$1/src/$2.ts") },
    ],
  },
  test: {
    include: ["packages/core/test/**/*.test.ts", "test/{adapters,login,webhooks}/**/*.test.ts"],
    testTimeout: 30_000,
    isolate: false,
    env: { DOORCODE_TEST_STORES: "memory" },
  },
});
