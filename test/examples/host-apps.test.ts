import { join, resolve } from "node:path";
import { createSandbox } from "@doorcode/sandbox";
import { expect, onTestFinished, test } from "vitest";
import { type Browser, openBrowser } from "../support/browser.ts";
import { findFreePort } from "../support/free-port.ts";
import { pnpm } from "../support/pnpm.ts";
import { runProgram } from "./program.ts";

const root = resolve(import.meta.dirname, "../..");

/** The address of the app's pages. A proxy ends TLS in front of the app, as in production. */
const origin = "https://app.example.com";

/** An example: its folder, whether it has packages and a build of its own, and the words after `node` of its script `start`. */
interface Example {
  readonly name: string;
  readonly isBuilt: boolean;
  readonly start: readonly string[];
}

const examples: readonly Example[] = [
  { name: "nextjs", isBuilt: true, start: ["node_modules/next/dist/bin/next", "start"] },
  { name: "sveltekit", isBuilt: true, start: ["build"] },
  { name: "nestjs", isBuilt: true, start: ["dist/main.js"] },
  { name: "hono", isBuilt: false, start: ["server.ts"] },
];

// As a browser without a script does it, by forms.
test.for(examples)(
  "examples/$name logs in, guards a page and receives webhooks",
  { timeout: 300_000 },
  async (example) => {
    const { url, sandbox, says, saidSoFar } = await startExample(example);
    const phone = "+4915123456141";
    const browser = openBrowser(url);
    const submit = async (step: string, fields: Record<string, string> = {}) => {
      const { status, headers } = await browser.submit(`/login/${step}`, fields, {
        origin,
        "sec-fetch-site": "same-origin",
      });
      return [status, headers.get("location")];
    };
    const open = (path: string) => browser.get(path, { accept: "text/html" });

    expect((await open("/account")).headers.get("location")).toMatch(/^\/login\?next=(\/|%2F)account$/);
    expect((await open("/login?next=/account")).text).toContain('action="/login/start"');
    expect(await submit("start", { phone, next: "/account" })).toEqual([303, "/login?next=%2Faccount"]);
    expect((await open("/login?next=/account")).text).toContain('autocomplete="one-time-code"');

    const { code = "" } = await sandbox.inbox.wait({ to: phone });
    expect(await submit("confirm", { code, next: "/account" })).toEqual([303, "/account"]);
    expect((await open("/account")).text).toContain(phone);
    // Neither a build nor a cache of the host may keep the state of one browser for another one.
    const stateOf = async (visitor: Browser) => {
      const { json, headers } = await visitor.get("/login/state");
      return [json.status, headers.get("cache-control")];
    };
    expect(await stateOf(browser)).toEqual(["logged_in", "no-store"]);
    expect(await stateOf(openBrowser(url))).toEqual(["none", "no-store"]);
    expect(await stateOf(browser)).toEqual(["logged_in", "no-store"]);
    expect((await openBrowser(url).get("/login", { accept: "text/html" })).text).toContain('action="/login/start"');
    await says(/^webhook: \w+$/m);

    expect((await open("/login/nothing")).status).toBe(404);
    expect((await submit("logout"))[0]).toBe(303);
    expect((await open("/account")).headers.get("location")).toContain("/login?next=");
    // Nothing is set up wrong: no proxy that is unknown, no store that another process does not share.
    expect(saidSoFar()).not.toContain("DoorcodeWarning");
  },
);

/** Builds an example and starts it beside a sandbox. Both end with the test. */
async function startExample({ name, isBuilt, start }: Example) {
  const sandbox = await createSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const folder = join(root, "examples", name);
  const port = await findFreePort();
  const env = { ...sandbox.env, PORT: String(port), HOST: "localhost", ORIGIN: origin, NEXT_TELEMETRY_DISABLED: "1" };
  if (isBuilt) {
    await succeed([...pnpm(), "install", "--frozen-lockfile", "--prefer-offline"], folder, process.env);
    await succeed([process.execPath, "--run", "build"], folder, env);
  }
  const program = runProgram([process.execPath, ...start], folder, env);
  onTestFinished(async () => {
    program.kill("SIGKILL");
    await program.ended;
  });
  await program.says(/Ready in|Listening on|^http:\/\/localhost:\d+$/m);
  const url = `http://localhost:${port}`;
  sandbox.deliverTo(`${url}/webhooks`);
  return { ...program, url, sandbox };
}

async function succeed(command: readonly [string, ...string[]], folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { code, said } = await runProgram(command, folder, env).ended;
  if (code !== 0) throw new Error(`${command.join(" ")} failed in ${folder}:\n${said}`);
}
