import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { findFreePort } from "../support/free-port.ts";
import { untilAnswered } from "../support/poll.ts";

const phone = "+4915123456789";

/** Runs the script of the app in a process group of its own, until the end of the test. */
function runScript(folder: string, script: string, env: Readonly<Record<string, string>>): void {
  const child = spawn("npm", ["run", script], {
    cwd: folder,
    detached: true,
    stdio: "ignore",
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, NODE_NO_WARNINGS: "1", ...env },
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.pid === undefined) return;
    process.kill(-child.pid, "SIGTERM");
    await once(child, "close");
  });
}

/** The answer to a POST. */
interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The cookies that it sets, as a browser sends them back. */
  readonly cookie: string;
}

/** Posts JSON as a page of the app does. */
async function post(url: string, body: unknown, cookie = ""): Promise<Answer> {
  const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin", cookie };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const cookies = answer.headers.getSetCookie().map((each) => each.split(";")[0]);
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : {}, cookie: cookies.join("; ") };
}

/** A login in a running app. */
export interface LoggedIn {
  /** The address of the app. */
  readonly app: string;
  /** The address of the sandbox's control. */
  readonly control: string;
  readonly confirmed: Answer;
}

/** Starts the app with the script that `init` has written, on free ports, and logs in with the code of the sandbox. */
export async function logInWithSandbox(folder: string, loginPath = "/login"): Promise<LoggedIn> {
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()];
  const manifest = join(folder, "package.json");
  const text = readFileSync(manifest, "utf8")
    .replace("4010", `${sandboxPort}`)
    .replace(/localhost:\d{4}(?=\/\w*-?webhooks)/, `localhost:${port}`);
  writeFileSync(manifest, text);
  runScript(folder, JSON.parse(text).scripts["dev:sandbox"] ? "dev:sandbox" : "dev", { PORT: String(port) });
  const app = `http://localhost:${port}`;
  const control = `http://localhost:${sandboxPort}/_sandbox`;

  await untilAnswered(() => fetch(app));
  const started = await post(`${app}${loginPath}/start`, { phone });
  const message = await fetch(`${control}/inbox/wait?to=${encodeURIComponent(phone)}`);
  const { code } = (await message.json()) as { code: string };
  return { app, control, confirmed: await post(`${app}${loginPath}/confirm`, { code }, started.cookie) };
}
