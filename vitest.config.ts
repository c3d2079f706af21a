import { defineConfig } from "vitest/config";

/** Tests read the packages' sources, so that nothing has to be built first. */
const conditions = ["@doorcode/source", "node", "import", "module", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: { include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts", "examples/*/test/**/*.test.ts"] },
});
