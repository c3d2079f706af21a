import { defineConfig } from "@playwright/test";

/** Tests without a browser. The test that runs them sets the number of workers. */
export default defineConfig({ testDir: ".", testMatch: "*.play.ts", workers: 2, retries: 0, reporter: "json" });
