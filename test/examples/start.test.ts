import { spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { expectStatus } from "../../scripts/once.ts";
import { type Answer, openBrowser } from "../support/browser.ts";
import { builtVariable } from "../support/build.ts";
import { findFreePort } from "../support/free-port.ts";
import { listen } from "../support/listen.ts";
import { builtOnFreePorts, npmStart } from "./npm-start.ts";
import type { Program } from "./program.ts";

test("--once builds, and logs in on both frameworks with both owners of the code", { timeout: 180_000 }, async () => {
  const { code, said } = await npmStart(["--once"], { [builtVariable]: "" }).ended;
  expect(said).toContain("Building");
  expect(said).toContain("4 logins done.");
  expect(said.match(/^ {2}✓ confirm the code +200$/gm)).toHaveLength(4);
  expect(code).toBe(0);
});

test("a step of --once that is not as expected ends it, and says what was expected", () => {
  const answer = { status: 200, text: "Your account" } as Answer;
  expect(() => expectStatus("open it with a copy of the cookie", 401, answer)).toThrow(
    /^ {2}✗ open it with a copy of the cookie {10}200, expected 401: Your account$/,
  );
});

test("a login goes on after a restart of both, and its session after another one, and a second start is refused in a sentence", {
  timeout: 180_000,
}, async () => {
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()];
  const folder = resolve(root, `.doorcode/start-${port}`);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const app = openBrowser(`http://localhost:${port}`);
  const start = async () => {
    const running = npmStart([], { PORT: String(port), SANDBOX_PORT: String(sandboxPort) });
    const said = await running.says(/start them again, and go on/);
    const [, example, sandbox] = said.match(/The example\s+(\S+)\s+The sandbox\s+(\S+)/) ?? [];
    const answers = await Promise.all([fetch(`${example}/login`), fetch(`${sandbox}/`)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    return running;
  };
  const restart = async ({ ended, kill }: Program) => {
    kill("SIGKILL");
    await ended;
    return start();
  };

  const first = await start();
  await app.post("/login/start", { phone: "+4915123456789" });
  // The view Limits has what the limits have decided.
  const { decisions } = (await openBrowser(`http://localhost:${sandboxPort}/_sandbox`).get("/decisions")).json;
  expect(decisions).toMatchObject([{ outcome: "allowed", country: "DE" }]);
  const second = await restart(first);
  const inbox = openBrowser(`http://localhost:${sandboxPort}/_sandbox/inbox`);
  const { code } = (await inbox.get("/wait?to=%2B4915123456789")).json;
  expect((await app.post("/login/confirm", { code })).json).toMatchObject({ status: "logged_in" });
  const german = await fetch(`http://localhost:${port}/login`, { headers: { "accept-language": "de-AT" } });
  expect(await german.text()).toMatch(/<html lang="de">.*<h1>Anmelden<.*Telefonnummer/s);
  expect((await app.get("/login/offer")).json.codeLength).toBe(6);
  const third = await restart(second);
  expect((await app.get("/account")).text).toContain("+4915123456789");
  const { code: exitCode, said } = await npmStart([], { PORT: String(port) }).ended;
  expect([exitCode, said]).toEqual([1, expect.stringContaining("npm start runs already with this PORT.")]);
  expect(said).not.toMatch(/^\s+at /m);
  third.kill("SIGINT");
  expect((await third.ended).code).toBe(0);
});

test.each(["PORT", "SANDBOX_PORT"])(
  "says in one sentence, without a stack, that %s is in use",
  { timeout: 180_000 },
  async (variable) => {
    const taken = await listen(createServer());
    const port = String(taken.port);
    const { code, said } = await npmStart([], { [variable]: port }).ended;
    await taken.close();

    expect(code).toBe(1);
    expect(said).toMatch(new RegExp(`Port ${port} is already in use\\. Choose another one with ${variable}`));
    expect(said).not.toMatch(/^\s+at /m);
  },
);

test.each([
  { words: [], env: { PORT: "http" }, problem: "PORT must be a port from 0 to 65535." },
  { words: ["twice"], env: {}, problem: expect.stringContaining("twice is not an option") },
])("says $problem in one sentence", async ({ words, env, problem }) => {
  const { code, said } = await npmStart(words, env).ended;
  expect([code, said.trim().split("\n")]).toEqual([1, [problem]]);
});

const root = resolve(import.meta.dirname, "../..");

/** Runs `npm start` in a process group of its own, until it says that it is ready. */
async function startInGroup() {
  // The workspace's own Node would run npm in one more shell, which a developer does not have.
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.startsWith(root));
  const child = spawn("npm", ["start"], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, PATH: path.join(delimiter), ...builtOnFreePorts },
  });
  const group = child.pid ?? 0;
  onTestFinished(() => {
    if (processesOf(group).length > 0) process.kill(-group, "SIGKILL");
  });
  let said = "";
  for await (const text of child.stdout.setEncoding("utf8")) {
    said += text;
    if (/Press Ctrl-C to stop both/.test(said)) break;
  }
  return group;
}

/** The processes of a group, from npm to the innermost one. */
function processesOf(group: number): readonly { readonly pid: number; readonly command: string }[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,pgid=,args="], { encoding: "utf8" });
  return [...stdout.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)]
    .filter(([, , pgid]) => pgid === String(group))
    .map(([, pid, , command = ""]) => ({ pid: Number(pid), command }))
    .sort((left, right) => left.pid - right.pid);
}

describe("npm start leaves no process", { timeout: 180_000 }, () => {
  test.each([
    ["SIGTERM", "npm"],
    ["SIGKILL", "run.mjs"],
  ] as const)("when %s ends %s alone", async (signal, name) => {
    const group = await startInGroup();
    const ended = processesOf(group).findLast(({ command }) => command.includes(name));
    process.kill(ended?.pid ?? 0, signal);
    await expect.poll(() => processesOf(group)).toEqual([]);
  });

  test("when Ctrl-C reaches all of them", async () => {
    const group = await startInGroup();
    process.kill(-group, "SIGINT");
    await expect.poll(() => processesOf(group)).toEqual([]);
  });
});
