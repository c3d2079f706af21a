import { describe } from "vitest";
import type { SandboxEnv } from "../src/sandbox/credentials.ts";
import { test } from "../src/vitest.ts";
import { phone, startVerification } from "./support/start.ts";

/** Creates a barrier that opens when the given number of callers wait at it. */
function barrier(parties: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return async () => {
    arrived += 1;
    if (arrived === parties) resolve();
    await promise;
  };
}

const withApp = test.extend("origin", { scope: "worker" }, ({ sandbox }) => new URL(sandbox.url).origin);

const sandboxes = new Set<string>();
const earlier: SandboxEnv[] = [];

// If they ran one after another, the first would wait at the barrier until its time-out.
describe.concurrent("concurrent tests", () => {
  const sent = barrier(2);
  const read = barrier(2);

  for (const name of ["one", "the other"]) {
    test(`${name} sees only its own code, although both use the same number`, async ({
      sandbox,
      application,
      expect,
    }) => {
      sandboxes.add(sandbox.url);
      const { id, code } = await startVerification(application);
      await sent();
      const messages = application.inbox.list({ to: phone });
      expect(messages).toMatchObject([{ code }]);
      expect(id).not.toBe("undefined");
      await read();
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
