import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { createAgent } from "../../src/service/attempt.ts";
import { json, startLoopback } from "./loopback.ts";

const program = resolve(import.meta.dirname, "globals-program.ts");
const repository = resolve(import.meta.dirname, "../../../..");
const nodes = [
  { on: "24", node: resolve(repository, "node_modules/node/bin/node") },
  { on: "22.19", node: resolve(repository, "node_modules/node22/bin/node") },
];
const apps = [
  { app: "an app without a dispatcher", version: [], fetched: "sent" },
  { app: "an app with a dispatcher of undici 6 or 7", version: ["1"], fetched: "the dispatcher of the app" },
  { app: "an app with a dispatcher of undici 8", version: ["2"], fetched: "sent" },
];

/** The registry of zod, and the memory store that all copies of the kit in a process share. */
const ofDependencies = /^(__zod_\w+|Symbol\(@doorcode\/core memory store \w+\))$/;

afterEach(() => void vi.doUnmock("undici/lib/dispatcher/agent.js"));

test.each(nodes.flatMap((node) => apps.map((app) => ({ ...node, ...app }))))(
  "the first call of the service leaves the globals of $app as they were, on Node $on",
  { timeout: 30_000 },
  async ({ node, on, version, fetched }) => {
    const { url } = await startLoopback((response) => json(response, 200, { messages: [] }));
    const { stdout } = await promisify(execFile)(node, [program, url, ...version]);
    const found = JSON.parse(stdout);

    expect(found.node.startsWith(`${on}.`)).toBe(true);
    expect(found.added.filter((key: string) => !ofDependencies.test(key))).toEqual([]);
    expect(found).toMatchObject({ replaced: [], fetched });
  },
);

test("an undici without a file for its agent is loaded as a whole", async () => {
  vi.doMock("undici/lib/dispatcher/agent.js", () => {
    throw new Error("Cannot find module");
  });
  const agent = await createAgent(1)();
  await agent.close();

  expect(agent.constructor.name).toBe("Agent");
});
