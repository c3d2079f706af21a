import { defineConfig } from "@playwright/test";

/** Two tests at the same time in two workers, and two one after the other in one. No browser. */
export default defineConfig({ testDir: ".", testMatch: "*.play.ts", workers: 2, retries: 0, reporter: "json" });
