import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { npmStart } from "./npm-start.ts";

test("--once logs in on both frameworks with both owners of the code", { timeout: 180_000 }, async () => {
  const { code, said } = await npmStart(["--once"]).ended;
  expect(said).toContain("4 logins done.");
  expect(code).toBe(0);
});

test("without --once the example and the sandbox run until they are interrupted", { timeout: 180_000 }, async () => {
  const { ended, says, kill } = npmStart([]);
  const said = await says(/Press Ctrl-C to stop both/);
  const [, example, sandbox] = said.match(/The example\s+(\S+)\s+The sandbox\s+(\S+)/) ?? [];
  const answers = await Promise.all([fetch(`${example}/login`), fetch(`${sandbox}/`)]);
  kill("SIGINT");

  expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
  expect((await ended).code).toBe(0);
});

test.each(["PORT", "SANDBOX_PORT"])(
  "says in one sentence, without a stack, that %s is in use",
  { timeout: 180_000 },
  async (variable) => {
    const taken = createServer();
    await new Promise<void>((listening) => taken.listen(0, "127.0.0.1", listening));
    const port = String((taken.address() as AddressInfo).port);
    const { code, said } = await npmStart([], { [variable]: port }).ended;
    taken.close();

    expect(code).toBe(1);
    expect(said).toMatch(new RegExp(`Port ${port} is already in use\\. Choose another one with ${variable}`));
    expect(said).not.toMatch(/^\s+at /m);
  },
);

test("says in one sentence that a port is invalid", async () => {
  const { code, said } = await npmStart([], { PORT: "http" }).ended;
  expect([code, said.trim()]).toEqual([1, "PORT must be a port from 0 to 65535."]);
});

test("says in one sentence that an argument is not an option", async () => {
  const { code, said } = await npmStart(["twice"]).ended;
  expect([code, said.trim().split("\n").length]).toEqual([1, 1]);
  expect(said).toContain("twice is not an option");
});
