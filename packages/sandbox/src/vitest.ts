import { test as base, type TestAPI } from "vitest";
import type { SandboxApplication } from "./sandbox/sandbox-application.ts";
import { createSandbox, type Sandbox } from "./start/create-sandbox.ts";

/** The fixtures of {@link test}. */
export interface SandboxFixtures {
  /** One for each worker, on a free port. It is closed after the last test of the worker. */
  readonly sandbox: Sandbox;
  /** One for each test, with the name of the test. It is removed after the test, so parallel tests do not see each other. */
  readonly application: SandboxApplication;
  /** The fixtures that `beforeAll` and further fixtures of a worker can use. Vitest requires this member. */
  readonly $__worker?: Pick<SandboxFixtures, "sandbox">;
  /** The fixtures of a file. Vitest requires this member. */
  readonly $__file?: object;
  /** The fixtures of a test. Vitest requires this member. */
  readonly $__test?: Pick<SandboxFixtures, "application">;
}

/**
 * The `test` of vitest with the fixtures `sandbox` and `application`. They start when a test uses them.
 *
 * @example
 * import { test } from "@doorcode/sandbox/vitest";
 * import { expect } from "vitest";
 * test("sends a code", async ({ application }) => {
 *   // … point your app at application.env and let it send a code …
 *   const { code } = await application.inbox.wait({ to: "+4915112345678" });
 *   expect(code).toMatch(/^\d{6}$/);
 * });
 */
export const test: TestAPI<SandboxFixtures> = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are needed.
  .extend("sandbox", { scope: "worker" }, async ({}, { onCleanup }) => {
    const sandbox = await createSandbox({ port: 0 });
    onCleanup(() => sandbox.close());
    return sandbox;
  })
  .extend("application", ({ sandbox, task }, { onCleanup }) => {
    const application = sandbox.createApplication({ name: task.name });
    onCleanup(() => application.remove());
    return application;
  });
