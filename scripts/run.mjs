// Runs a script after installing what the lockfile names. If the Node of this machine is too old for the packages, the script runs on
// the Node of the installation. Plain JavaScript, because only this file runs on an older Node.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const windows = process.platform === "win32";
const pnpmFolder = join(root, ".doorcode", "pnpm");

const read = (...path) => readFileSync(join(root, ...path), "utf8");
const { packageManager } = JSON.parse(read("package.json"));
const manifests = ["packages", "examples"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => [folder, name, "package.json"]),
);
const files = [["pnpm-lock.yaml"], ["package.json"], ...manifests].map((path) => read(...path));

// Asking pnpm takes seconds, so an installation of exactly these files is not asked about again.
once(
  join(root, "node_modules", ".doorcode-installed"),
  createHash("sha256").update(files.join("\0")).digest("hex"),
  () => {
    process.stderr.write("Installing what the lockfile names, which takes a minute …\n");
    once(join(pnpmFolder, "installed"), packageManager, installPnpm);
    const pnpm = join(pnpmFolder, "node_modules", "pnpm", "bin", "pnpm.cjs");
    run(process.execPath, [pnpm, "install", "--frozen-lockfile"], root);
  },
);
const [major, minor] = process.versions.node.split(".").map(Number);
const isOld = major < 22 || (major === 22 && minor < 19);
const node = isOld ? join(root, "node_modules", "node", "bin", windows ? "node.exe" : "node") : process.execPath;
runScript(process.argv.slice(2));

/** Does something once, until the text changes that the stamp holds. */
function once(stamp, text, work) {
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === text) return;
  // What fails may have removed what the stamp was written for.
  rmSync(stamp, { force: true });
  work();
  writeFileSync(stamp, text);
}

/** Installs the pnpm of `packageManager`. npm compares what it downloads with the hash in the lockfile that is written here. */
function installPnpm() {
  const [, version, hash] = /^pnpm@([\d.]+)\+sha512\.([\da-f]{128})$/.exec(packageManager) ?? [];
  if (hash === undefined) fail("packageManager in package.json must be pnpm@VERSION+sha512.HASH.");
  const integrity = `sha512-${Buffer.from(hash, "hex").toString("base64")}`;
  const dependencies = { pnpm: version };
  const packages = { "": { dependencies }, "node_modules/pnpm": { version, integrity } };
  mkdirSync(pnpmFolder, { recursive: true });
  writeFileSync(join(pnpmFolder, "package.json"), JSON.stringify({ private: true, dependencies }));
  const lockfile = { lockfileVersion: 3, requires: true, packages };
  writeFileSync(join(pnpmFolder, "package-lock.json"), JSON.stringify(lockfile));
  run("npm", ["ci", "--ignore-scripts", "--prefix", ".", "--no-audit", "--no-fund"], pnpmFolder);
}

/** Runs a program of the installation. Its output is shown only if it fails. On Windows npm is a script, which only a shell can run. */
function run(program, words, cwd) {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, shell: windows, encoding: "utf8" });
  if (status === 0) return;
  process.stderr.write(`${stdout ?? ""}${stderr ?? ""}\n`);
  if (/\bEINTEGRITY\b/.test(stderr))
    fail("The registry's pnpm does not have the hash in package.json. Nothing of it was run.");
  fail("The installation failed. Check that the npm registry can be reached from here.");
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function runScript(words) {
  const PATH = [dirname(node), join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  const child = spawn(node, words, { cwd: root, stdio: "inherit", env: { ...process.env, PATH } });
  // A signal that reaches only this process, and the end of npm or of its shell, must end the script too.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  const above = windows || process.env.npm_lifecycle_event === undefined ? [] : [process.ppid, parentOf(process.ppid)];
  setInterval(() => above.every(isRunning) || child.kill("SIGTERM"), 250).unref();
  child.on("exit", (status, signal) => process.exit(status ?? 128 + (constants.signals[signal] ?? 0)));
}

function parentOf(pid) {
  return Number(spawnSync("ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" }).stdout ?? pid);
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
