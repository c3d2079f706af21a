import { type ChildProcess, spawn } from "node:child_process";
import { globSync, mkdirSync, watch } from "node:fs";
import { join } from "node:path";
import { build } from "./build.ts";

/*
 * `npm run dev`: the Express example and the sandbox, which restart after each change of a source. The compiler builds the
 * packages again, and each new build restarts both. The sandbox keeps its messages in a file.
 */

const port = process.env.PORT ?? "3000";
const sandboxPort = process.env.SANDBOX_PORT ?? "4010";
/** Options for the example's process, such as `--inspect` for a debugger. */
const nodeOptions = process.argv.slice(2);
/** A build writes many files, and an editor may save one in several steps. */
const quietMilliseconds = 200;

build();
mkdirSync(".doorcode", { recursive: true });
const compiler = spawn("tsc", ["-b", "--watch", "--preserveWatchOutput"], { stdio: ["ignore", "inherit", "inherit"] });
let running = start();
process.stdout.write(
  [
    "",
    `  The example   http://localhost:${port}`,
    `  The sandbox   http://localhost:${sandboxPort}`,
    "",
    "  Change a source, and both restart. Ctrl-C ends them.",
    "",
    "",
  ].join("\n"),
);

// Each folder is watched, not each file: an editor may save a file by putting another one in its place.
const folders = globSync(["examples/*", "packages/*/dist", "packages/*/dist/**/*"], { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ parentPath, name }) => join(parentPath, name));
let timer: NodeJS.Timeout | undefined;
const watchers = folders.map((folder) =>
  watch(folder, () => {
    clearTimeout(timer);
    timer = setTimeout(restart, quietMilliseconds);
  }),
);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    running.kill(signal);
    compiler.kill(signal);
  });
}

function start(): ChildProcess {
  const sandbox = ["packages/sandbox/dist/cli.js", "exec", "--port", sandboxPort, "--data", ".doorcode/dev.db"];
  const webhooks = ["--webhook-url", `http://localhost:${port}/webhooks`];
  const example = ["--enable-source-maps", ...nodeOptions, "examples/express-login/server.ts"];
  return spawn(process.execPath, [...sandbox, ...webhooks, "--", process.execPath, ...example], {
    stdio: "inherit",
    env: { ...process.env, PORT: port },
  });
}

function restart(): void {
  const ended = running;
  // A process that failed has ended already; its ports are free.
  if (ended.exitCode !== null || ended.signalCode !== null) running = start();
  else ended.once("exit", () => (running = start())).kill("SIGTERM");
  process.stdout.write("Restarting …\n");
}
