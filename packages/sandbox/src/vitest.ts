import { test as base, type TestAPI } from "vitest";
import type { SandboxApplication } from "./controls/application.ts";
import { createSandbox, type Sandbox } from "./sandbox.ts";

/** What {@link test} gives to a test. */
export interface SandboxFixtures {
  /** One a worker, on a free port; closed when the worker has run all its tests. */
  readonly sandbox: Sandbox;
  /** One a test, named after it and removed after it: tests that run at the same time never see each other. */
  readonly application: SandboxApplication;
  /** Here vitest reads which fixtures `beforeAll` and further fixtures of a worker can use. */
  readonly $__worker?: Pick<SandboxFixtures, "sandbox">;
  readonly $__file?: object;
  readonly $__test?: Pick<SandboxFixtures, "application">;
}

/**
 * The `test` of vitest with a `sandbox` and an `application` of it. Neither starts before a test asks for one.
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
