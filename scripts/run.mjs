// Runs a script of this folder on the workspace's own Node, after installing what the lockfile names.
// Plain JavaScript, because only this file runs on the Node that the machine has.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(fileURLToPath(new URL(".", import.meta.url)), "..");
const windows = process.platform === "win32";
const [script, ...scriptArguments] = process.argv.slice(2);

const read = (...path) => readFileSync(join(root, ...path), "utf8");
const { packageManager } = JSON.parse(read("package.json"));
const manifests = ["packages", "examples"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => [folder, name, "package.json"]),
);
const wanted = createHash("sha256")
  .update([["pnpm-lock.yaml"], ["package.json"], ...manifests].map((path) => read(...path)).join("\0"))
  .digest("hex");
const pnpmFolder = join(root, ".doorcode", "pnpm");

// Asking pnpm takes seconds, so an installation of exactly these files is not asked about again.
once(join(root, "node_modules", ".doorcode-installed"), wanted, () => {
  once(join(pnpmFolder, "installed"), packageManager, installPnpm);
  const pnpm = join(pnpmFolder, "node_modules", "pnpm", "bin", "pnpm.cjs");
  expectSuccess(run(process.execPath, [pnpm, "install", "--frozen-lockfile"], root));
});

/** Does something once, until the text changes that the stamp holds. */
function once(stamp, text, work) {
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === text) return;
  // What fails may have removed what the stamp was written for.
  rmSync(stamp, { force: true });
  work();
  writeFileSync(stamp, text);
}

/**
 * Installs the pnpm that `packageManager` names. npm compares what it downloads with the hash, which stands in the lockfile
 * that is written here, so nothing of the registry is run unless it is the pnpm that this repository names.
 */
function installPnpm() {
  const [, version, hash] = /^pnpm@([\d.]+)\+sha512\.([\da-f]{128})$/.exec(packageManager) ?? [];
  if (hash === undefined) fail("packageManager in package.json must be pnpm@VERSION+sha512.HASH.");
  const integrity = `sha512-${Buffer.from(hash, "hex").toString("base64")}`;
  const dependencies = { pnpm: version };
  const packages = { "": { dependencies }, "node_modules/pnpm": { version, integrity } };
  mkdirSync(pnpmFolder, { recursive: true });
  writeFileSync(join(pnpmFolder, "package.json"), JSON.stringify({ private: true, dependencies }));
  writeFileSync(
    join(pnpmFolder, "package-lock.json"),
    JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
  );

  const options = ["--prefix", ".", "--ignore-scripts", "--no-audit", "--no-fund"];
  const installWith = (cache) => run("npm", ["ci", cache, ...options], pnpmFolder);
  // A slow registry is not waited for when npm's cache has pnpm. But the cache may hold what was refused before.
  const cached = installWith("--prefer-offline");
  const result = isRefused(cached) ? installWith("--prefer-online") : cached;
  if (isRefused(result)) {
    process.stderr.write(result.output);
    fail(`The registry's pnpm@${version} does not have the hash in package.json. Nothing of it was run.`);
  }
  expectSuccess(result);
}

function isRefused({ output }) {
  return /\bEINTEGRITY\b/.test(output);
}

/** Runs a program. On Windows npm is a script, which only a shell can run. */
function run(program, programArguments, cwd) {
  const shell = windows && program === "npm";
  const child = spawnSync(program, programArguments, {
    cwd,
    shell,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  return { isDone: child.status === 0, output: `${child.stdout ?? ""}${child.stderr ?? ""}\n` };
}

function expectSuccess({ isDone, output }) {
  if (isDone) return;
  process.stderr.write(output);
  fail("The installation failed. Check that the npm registry can be reached from here.");
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const node = join(root, "node_modules", "node", "bin", windows ? "node.exe" : "node");
const child = spawn(node, [script, ...scriptArguments], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${windows ? ";" : ":"}${process.env.PATH}` },
});
// A signal that reaches only this process must end the script too.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (status, signal) => process.exit(status ?? 128 + (constants.signals[signal] ?? 0)));

// npm passes a signal on to its shell only, and the shell to nobody. So the script ends as soon as one of them is gone.
const above = findProcessesAbove();
const watching = setInterval(() => {
  if (above.every(isRunning)) return;
  clearInterval(watching);
  child.kill("SIGTERM");
}, 250);

/** Finds npm and the shells between npm and this process. A process that npm has not started depends on nobody. */
function findProcessesAbove() {
  if (windows || process.env.npm_lifecycle_event === undefined) return [];
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  const listed = [...(stdout ?? "").matchAll(/^ *(\d+) +(\d+) (.*)$/gm)];
  const processes = new Map(
    listed.map(([, pid, parent, command]) => [Number(pid), { parent: Number(parent), command }]),
  );
  const found = [];
  for (let pid = process.ppid, isShell = true; isShell && processes.has(pid); ) {
    const { parent, command } = processes.get(pid);
    found.push(pid);
    // The command of a shell repeats the line of package.json, that of npm does not.
    isShell = command.includes("scripts/run.mjs");
    pid = parent;
  }
  return found;
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
