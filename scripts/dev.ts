import { type ChildProcess, spawn } from "node:child_process";
import { globSync, mkdirSync, watch } from "node:fs";
import { build, bundle } from "./build.ts";

/*
 * `npm run dev`: the example and the sandbox. After each change of a source the packages are built again, and both
 * restart. The sandbox keeps its messages in a file.
 */

const port = process.env.PORT ?? "3000";
const sandboxPort = process.env.SANDBOX_PORT ?? "4010";
/** Options for the example's process, such as `--inspect` for a debugger. */
const nodeOptions = process.argv.slice(2);
/** A checkout changes many files, and an editor may save one in several steps. */
const quietMilliseconds = 200;

build();
mkdirSync(".doorcode", { recursive: true });
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

let timer: NodeJS.Timeout | undefined;
let compiler: ChildProcess | undefined;
// Folders, not files: an editor may save a file by putting another one in its place.
const watchers = globSync(["packages/*/src", "examples/*/"]).map((folder) =>
  watch(folder, { recursive: true }, (_, file) => {
    // Starting the example reads what is installed below it.
    if (!file?.startsWith("node_modules")) compileSoon();
  }),
);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    running.removeAllListeners("exit").kill(signal);
    compiler?.kill(signal);
  });
}

function compileSoon(): void {
  clearTimeout(timer);
  timer = setTimeout(compile, quietMilliseconds);
}

/** Builds what has changed, and restarts both. After an error, which the compiler prints, both go on as they were. */
function compile(): void {
  if (compiler) {
    // A change during a build is built after it.
    compileSoon();
    return;
  }
  compiler = spawn(process.execPath, ["scripts/build.ts"], { stdio: "inherit" });
  compiler.once("close", (status) => {
    compiler = undefined;
    if (status === 0 && bundle()) restart();
  });
}

function start(): ChildProcess {
  const sandbox = ["packages/sandbox/dist/cli.js", "exec", "--port", sandboxPort, "--data", ".doorcode/dev.db"];
  const webhooks = ["--webhook-url", `http://localhost:${port}/webhooks`];
  const example = ["--enable-source-maps", ...nodeOptions, "examples/account/server.ts"];
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
