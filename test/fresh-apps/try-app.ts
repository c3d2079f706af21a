import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../support/free-port.ts";
import { findPostgres } from "../support/postgres-server.ts";
import { CommandError, type RunningCommand, runCommand, startCommand } from "./command.ts";
import type { FreshApp } from "./fresh-app.ts";
import { type Installation, installApp } from "./install.ts";
import { logInToApp } from "./log-in.ts";
import type { Tarballs } from "./packages.ts";
import { tryExistingApp } from "./try-existing-app.ts";

/**
 * Installs an app in a new folder, and runs its tests, or starts it beside a sandbox and logs in.
 *
 * @throws CommandError if a command fails or warns, or a step of the login is not answered as expected
 */
export async function tryApp(app: FreshApp, folder: string, tarballs: Tarballs): Promise<Installation> {
  const installation = await installApp(app, folder, tarballs);
  if (app.existing) {
    await tryExistingApp(app.existing, folder);
    return installation;
  }
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (app.needsPostgres) await testOnPostgres(folder);
  else if (scripts.test) await runCommand("npm test", folder, { maxSeconds: 120 });
  else await logInBesideSandbox(folder, scripts.build !== undefined);
  return installation;
}

async function testOnPostgres(folder: string): Promise<void> {
  const postgres = await findPostgres();
  if (!postgres) throw new CommandError("This app needs a PostgreSQL: set TEST_POSTGRES_URL.");
  try {
    await runCommand("npm test", folder, { maxSeconds: 300, env: { TEST_POSTGRES_URL: postgres.url } });
  } finally {
    await postgres.close();
  }
}

async function logInBesideSandbox(folder: string, mustBuild: boolean): Promise<void> {
  const port = await findFreePort();
  const sandboxPort = await findFreePort();
  const webhookUrl = `http://localhost:${port}/webhooks`;
  const sandbox = startCommand(`npx doorcode-sandbox --port ${sandboxPort} --webhook-url ${webhookUrl}`, folder);
  try {
    const env = { ...(await printedVariables(sandbox)), PORT: String(port) };
    if (mustBuild) await runCommand("npm run build", folder, { maxSeconds: 300, env });
    await startAndLogIn(folder, env, `http://127.0.0.1:${sandboxPort}`);
  } finally {
    await sandbox.end();
  }
}

async function startAndLogIn(folder: string, env: Readonly<Record<string, string>>, sandboxUrl: string): Promise<void> {
  const app = startCommand("npm start", folder, env);
  try {
    await logInToApp(`http://localhost:${env.PORT}`, sandboxUrl);
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : error}\n${app.output()}`);
  } finally {
    await app.end();
  }
  expectNoWarning(app.output());
}

/** Reads the variables that the sandbox prints for `.env`. */
async function printedVariables(sandbox: RunningCommand): Promise<Readonly<Record<string, string>>> {
  const lines = /^SESSION_PASSWORD=/m;
  let hasEnded = false;
  void sandbox.ended.then(() => (hasEnded = true));
  for (let attempt = 0; attempt < 1200 && !hasEnded && !lines.test(sandbox.output()); attempt++) await sleep(50);
  const variables = [...sandbox.output().matchAll(/^([A-Z_]+)=(.+)$/gm)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
  if (variables.length < 4) throw new CommandError(`The sandbox did not start:\n${sandbox.output()}`);
  return Object.fromEntries(variables);
}

/** Node warns of `require()` of a module, of what is deprecated, and of what is experimental. */
function expectNoWarning(output: string): void {
  const warnings = output.split("\n").filter((line) => /Warning:/.test(line));
  if (warnings.length > 0) throw new CommandError(`The app's process warns:\n${warnings.join("\n")}`);
}
