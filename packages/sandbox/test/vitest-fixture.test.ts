import { describe } from "vitest";
import { createBarrier } from "../../../test/support/barrier.ts";
import type { SandboxEnv } from "../src/sandbox/credentials.ts";
import { test } from "../src/vitest.ts";
import { phone, startVerification } from "./support/start.ts";

/** Creates a barrier that opens when both tests wait at it. */
function barrierOfTwo() {
  const barrier = createBarrier();
  void barrier.arrived(2).then(barrier.open);
  return barrier;
}

const withApp = test.extend("origin", { scope: "worker" }, ({ sandbox }) => new URL(sandbox.url).origin);

const sandboxes = new Set<string>();
const earlier: SandboxEnv[] = [];

// If they ran one after another, the first would wait at the barrier until its time-out.
describe.concurrent("concurrent tests", () => {
  const sent = barrierOfTwo();
  const read = barrierOfTwo();

  for (const name of ["one", "the other"]) {
    test(`${name} sees only its own code, although both use the same number`, async ({
      sandbox,
      application,
      expect,
    }) => {
      sandboxes.add(sandbox.url);
      const { id, code } = await startVerification(application);
      await sent.pass();
      const messages = application.inbox.list({ to: phone });
      expect(messages).toMatchObject([{ code }]);
      expect(id).not.toBe("undefined");
      await read.pass();
      earlier.push(application.env);
    });
  }
});

describe("afterwards", () => {
  test("all used the one sandbox of the worker, which still serves", async ({ sandbox, expect }) => {
    sandboxes.add(sandbox.url);
    expect(sandboxes.size).toBe(1);
    expect((await fetch(sandbox.url)).status).toBe(200);
  });

  test("the application of a test is removed, and its key no longer works", async ({ expect }) => {
    expect(earlier).toHaveLength(2);
    for (const env of earlier) {
      const headers = { "X-API-KEY": env.SERVICE_API_KEY };
      expect((await fetch(`${env.SERVICE_URL}/messages`, { headers })).status).toBe(401);
    }
  });
});

describe("a further fixture of the worker, such as the app under test", () => {
  let before = "";
  withApp.beforeAll(({ sandbox }) => {
    before = sandbox.url;
  });

  withApp("builds on the sandbox", ({ sandbox, origin, expect }) => {
    expect([origin, before]).toEqual([sandbox.url, sandbox.url]);
  });
});
