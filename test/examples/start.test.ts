import { spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** What `npm start` runs once everything is installed. */
function start(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, ["scripts/start.ts", ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, PORT: "0", SANDBOX_PORT: "0", ...env },
  });
  let said = "";
  const ended = new Promise<{ code: number | null; said: string }>((end) => {
    child.once("close", (code) => end({ code, said }));
  });
  const says = (words: RegExp) =>
    new Promise<string>((found) => {
      const look = () => words.test(said) && found(said);
      child.stdout.on("data", look);
      look();
    });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  return { child, ended, says };
}

test("--once logs in on both frameworks with both owners of the code", { timeout: 60_000 }, async () => {
  const { code, said } = await start(["--once"], {}).ended;
  expect(said).toContain("4 logins done.");
  expect(code).toBe(0);
});

test("without it the example and the sandbox run until they are interrupted", { timeout: 60_000 }, async () => {
  const { child, ended, says } = start([], {});
  const said = await says(/Ctrl-C ends both/);
  const [, example, sandbox] = said.match(/The example\s+(\S+)\s+The sandbox\s+(\S+)/) ?? [];
  const answers = await Promise.all([fetch(`${example}/login`), fetch(`${sandbox}/`)]);
  child.kill("SIGINT");

  expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
  expect((await ended).code).toBe(0);
});

test.each(["PORT", "SANDBOX_PORT"])(
  "a taken %s gives a sentence, and no stack",
  { timeout: 60_000 },
  async (variable) => {
    const taken = createServer();
    await new Promise<void>((listening) => taken.listen(0, "127.0.0.1", listening));
    const port = String((taken.address() as AddressInfo).port);
    const { code, said } = await start([], { [variable]: port }).ended;
    taken.close();

    expect(code).toBe(1);
    expect(said).toMatch(new RegExp(`Port ${port} is taken\\. Choose another one with ${variable}`));
    expect(said).not.toMatch(/^\s+at /m);
  },
);

test("a port that is none gives a sentence", async () => {
  const { code, said } = await start([], { PORT: "http" }).ended;
  expect([code, said.trim()]).toEqual([1, "PORT must be a port from 0 to 65535."]);
});
