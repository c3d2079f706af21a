import {
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from "@playwright/test";
import type { SandboxApplication } from "./sandbox/sandbox-application.ts";
import { createSandbox, type Sandbox } from "./start/create-sandbox.ts";

/** The fixtures that {@link test} creates for each test. */
export interface TestFixtures {
  /** An application with the name of the test. It is removed after the test, so tests do not see each other. */
  readonly application: SandboxApplication;
}

/** The fixtures that {@link test} creates for each worker. */
export interface WorkerFixtures {
  /** A sandbox on a free port. It is closed after the last test of the worker. */
  readonly sandbox: Sandbox;
}

/**
 * The `test` of Playwright with the fixtures `sandbox` and `application`. They start when a test uses them.
 *
 * @example
 * import { test } from "@doorcode/sandbox/playwright";
 * test("logs in", async ({ application, page }) => {
 *   // … start your app with application.env, and ask it for a code …
 *   const { code = "" } = await application.inbox.wait({ to: "+4915112345678" });
 *   await page.getByLabel("Code").fill(code);
 * });
 */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & TestFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & WorkerFixtures
> = base.extend<TestFixtures, WorkerFixtures>({
  sandbox: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
    async ({}, use) => {
      const sandbox = await createSandbox({ port: 0 });
      await use(sandbox);
      await sandbox.close();
    },
    { scope: "worker" },
  ],
  application: async ({ sandbox }, use, { title }) => {
    const application = sandbox.createApplication({ name: title });
    await use(application);
    application.remove();
  },
});
