import { join, resolve } from "node:path";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { onTestFinished } from "vitest";
import { findFreePort } from "../support/free-port.ts";
import { pnpm } from "../support/pnpm.ts";
import { type Program, runProgram } from "./program.ts";

const root = resolve(import.meta.dirname, "../..");

/** The address of the app's pages. A proxy ends TLS in front of the app, as in production. */
export const origin = "https://app.example.com";

/** An example as it is run: built, and started in a process of its own. */
export interface HostApp extends Program {
  readonly url: string;
  readonly sandbox: Sandbox;
}

/** How an example is started. */
export interface HostAppPlan {
  /** The folder below `examples`. */
  readonly name: string;
  /** True for an example with packages and a build of its own. */
  readonly isBuilt: boolean;
  /** The words after `node`, as in its script `start`. */
  readonly start: readonly string[];
}

/** Builds an example and starts it beside a sandbox. Both end with the test. */
export async function startHostApp({ name, isBuilt, start }: HostAppPlan): Promise<HostApp> {
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
