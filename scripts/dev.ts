import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { build } from "./build.ts";

/*
 * `npm run dev`: the example and the sandbox. The example runs on the sources of the kit, and restarts when one of them changes. The
 * compiler builds what has changed, and the sandbox, which keeps its messages in a file, restarts on its new build. So does the example
 * for the operators' page: Node cannot run its `.tsx`.
 */

const windows = process.platform === "win32";
const port = process.env.PORT ?? "3000";
const sandboxPort = process.env.SANDBOX_PORT ?? "4010";
const node = [process.execPath, "--watch", "--watch-preserve-output"] as const;
/** With options for the process of the example, such as `--inspect` for a debugger. */
const example = [...node, "-C", "@doorcode/source", ...process.argv.slice(2), "examples/account/server.ts"];
const sandbox = ["packages/sandbox/dist/cli.js", "exec", "--port", sandboxPort, "--data", ".doorcode/dev.db"];
const webhooks = ["--webhook-url", `http://localhost:${port}/webhooks`];

build();
mkdirSync(".doorcode", { recursive: true });
process.stdout.write(`
  The example   http://localhost:${port}
  The sandbox   http://localhost:${sandboxPort}

  Change a source, and both restart. Ctrl-C ends them.

`);

const compiler = start("tsc", "-b", "--checkers", "1", "--watch", "--preserveWatchOutput");
const programs = start(...node, ...sandbox, ...webhooks, "--", ...example);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // `tsc` runs in a process below the one that is started, so the signal goes to all of its group.
  process.on(signal, () => [compiler, programs].map(({ pid = 0 }) => process.kill(windows ? pid : -pid, signal)));
}

function start(program: string, ...words: readonly string[]) {
  const env = { ...process.env, PORT: port };
  return spawn(program, words, { stdio: "inherit", shell: windows, detached: !windows, env });
}
