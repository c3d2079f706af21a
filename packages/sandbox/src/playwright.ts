import {
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from "@playwright/test";
import type { SandboxApplication } from "./controls/application.ts";
import { createSandbox, type Sandbox } from "./sandbox.ts";

/** What {@link test} gives to a test. */
export interface TestFixtures {
  /** One a test, named after it and removed after it: tests never see each other. */
  readonly application: SandboxApplication;
}

/** What {@link test} gives to all tests of a worker. */
export interface WorkerFixtures {
  /** On a free port; closed when the worker has run all its tests. */
  readonly sandbox: Sandbox;
}

/**
 * The `test` of Playwright with a `sandbox` and an `application` of it. Neither starts before a test asks for one.
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
