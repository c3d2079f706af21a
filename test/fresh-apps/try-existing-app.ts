import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { findFreePort } from "../support/free-port.ts";
import { CommandError, runCommand, startCommand } from "./command.ts";
import type { AppWithUsers, ExistingApp } from "./fresh-app.ts";
import { npmSettings } from "./install.ts";
import { logInToExistingApp } from "./log-in.ts";

/**
 * Runs the tests of an app, adds Doorcode by `doorcode init`, runs them again, and logs in to the app beside a sandbox.
 *
 * @throws CommandError if a command fails, the tests fail after `init`, or a step of the login is not answered as expected
 */
export async function tryExistingApp(app: ExistingApp, folder: string): Promise<void> {
  await runTests(folder);
  const options = { maxSeconds: 300, env: npmSettings };
  const output = await runCommand("npx doorcode init --yes --countries DE", folder, options);
  try {
    // What init leaves to a person.
    if (existsSync(join(folder, "after-init.mjs"))) await runCommand("node after-init.mjs", folder, { maxSeconds: 60 });
    await runTests(folder);
    if (app !== "tests only") await logInBesideSandbox(app, folder);
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : error}\n\ninit has printed:\n${output}`);
  }
}

async function runTests(folder: string): Promise<void> {
  if (readManifest(folder).scripts.test !== undefined) await runCommand("npm test", folder, { maxSeconds: 120 });
}

/** Runs the script that `init` has written, on free ports. */
async function logInBesideSandbox(app: AppWithUsers, folder: string): Promise<void> {
  const [appPort, sandboxPort] = [await findFreePort(), await findFreePort()];
  const { scripts, text } = readManifest(folder);
  const script = scripts["dev:sandbox"] === undefined ? "dev" : "dev:sandbox";
  const written = `--port 4010 --webhook-url http://localhost:${app.port}/`;
  if (!text.includes(written)) throw new CommandError(`The script ${script} has not ${written}: ${scripts[script]}`);
  const onFreePorts = `--port ${sandboxPort} --webhook-url http://localhost:${appPort}/`;
  writeFileSync(join(folder, "package.json"), text.replace(written, onFreePorts));
  const running = startCommand(`npm run ${script}`, folder, { PORT: String(appPort) });
  try {
    await logInToExistingApp(`http://localhost:${appPort}`, `http://127.0.0.1:${sandboxPort}`, app);
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : error}\n${running.output()}`);
  } finally {
    await running.end();
  }
}

function readManifest(folder: string): { readonly text: string; readonly scripts: Readonly<Record<string, string>> } {
  const text = readFileSync(join(folder, "package.json"), "utf8");
  return { text, scripts: JSON.parse(text).scripts };
}

/** Tells whether a server answers on a port of this machine. */
export async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isThere = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  });
  socket.destroy();
  return isThere;
}
