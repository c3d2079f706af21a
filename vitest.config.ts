import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { findChromium } from "./test/support/chromium.ts";
import { SlowestFirst } from "./test/support/slowest-first.ts";

/** Tests read the packages' sources, so that nothing has to be built first. */
const source = "@doorcode/source";

const pages = "test/page/**/*.test.ts";

/** Every test file; those of the page only where there is a Chromium. What this leaves out, the test command names. */
const files = ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"];
const exclude = [
  ...configDefaults.exclude,
  // Programs that run in an app of their own, one of them under Jest.
  "test/fresh-apps/apps/**",
  ...(findChromium() ? [] : [pages]),
];

/** Files that change their own process, or end servers under it: each has a process of its own. */
const separate = [
  "packages/sandbox/test/{exec,playwright-fixture,transport,undici,vitest-fixture}.test.ts",
  "test/{chaos,faults,fresh-apps}/**/*.test.ts",
];

/**
 * Warnings that tests provoke on purpose, by their codes: a run prints only what nobody expects. Tests that are about a warning look at
 * `process.emitWarning`.
 */
const provokedWarnings = [
  "body_already_read",
  "host_not_private",
  "memory_store",
  "origins_missing",
  "proxy_misconfigured",
  "wait_until_failed",
  "webhook_clock_off",
  "webhook_failing",
  "webhook_secret",
  // HTTP/2 has no header that closes a connection.
  "UnsupportedWarning",
];

export default defineConfig({
  ssr: { resolve: { conditions: [source, "node"], externalConditions: [source, "node"] } },
  test: {
    globalSetup: "test/support/global-setup.ts",
    // For a test that hangs, on a busy machine: none measures time.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
    // Many tests wait for processes and timers. More workers than cores keep the cores busy; each loads the modules again.
    maxWorkers: availableParallelism() + 2,
    execArgv: provokedWarnings.map((code) => `--disable-warning=${code}`),
    sequence: { sequencer: SlowestFirst },
    projects: [
      { extends: true, test: { name: "separate", include: separate, exclude } },
      // Pages share a browser in each worker. A browser is slow on a busy machine.
      { extends: true, test: { name: "pages", include: [pages], exclude, isolate: false, testTimeout: 240_000 } },
      // All others share the processes of the workers: a process loads its modules once, not once for each file.
      {
        extends: true,
        test: { name: "shared", include: files, exclude: [...exclude, ...separate, pages], isolate: false },
      },
    ],
  },
});
