import { defineConfig } from "vitest/config";

/** Tests read the packages' sources, so that nothing has to be built first. */
const source = "@doorcode/source";

export default defineConfig({
  ssr: { resolve: { conditions: [source, "node"], externalConditions: [source, "node"] } },
  test: { include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"] },
});
