import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import shared from "../../vitest.config.ts";

const packages = join(import.meta.dirname, "../../packages");

/** Orders test files so that those with the most work run last: a mutant is done when the first test fails. */
class SlowestLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => slow.findIndex((name) => moduleId.includes(name));
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}

/** The files with slow tests, the slowest last. Those of whole apps come after those of a package. */
const slow = [
  "/properties.",
  "/test/adapters/",
  "/test/webhooks/",
  "/processes.",
  "/signature.",
  "/body.",
  "/session.",
  "/attempts.",
  "/codes.",
  "/conformance.",
  "/interrupted.",
];

/** The tests in a copy of the repository whose sources are mutated, on the memory store alone. */
export default defineConfig({
  ...(shared.ssr && { ssr: shared.ssr }),
  resolve: {
    // The copy shares node_modules with the repository, where a package's name leads to the sources without mutants.
    alias: [
      { find: /^@doorcode\/(\w+)$/, replacement: join(packages, "$1/src/index.ts") },
      { find: /^@doorcode\/(\w+)\/([\w-]+)$/, replacement: join(packages, "$1/src/$2.ts") },
    ],
  },
  test: {
    // Not Stryker's `testFiles`: with that, a mutant of a module's own constants is put in after the module was loaded.
    include: process.env.DOORCODE_MUTANT_TESTS?.split(",") ?? [],
    testTimeout: 30_000,
    isolate: false,
    sequence: { sequencer: SlowestLast },
    env: { DOORCODE_TEST_STORES: "memory" },
  },
});
