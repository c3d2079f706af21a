// Installs the dependencies of the lockfile, then runs a script of this folder on the workspace's own Node.
// This file is plain JavaScript, because it runs on the machine's Node.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(fileURLToPath(new URL(".", import.meta.url)), "..");
const [script, ...scriptArguments] = process.argv.slice(2);
const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const windows = process.platform === "win32";
const installed = spawnSync("npx", ["--yes", packageManager, "install", "--frozen-lockfile"], {
  cwd: root,
  stdio: ["ignore", "pipe", "inherit"],
  shell: windows,
});
if (installed.status !== 0) {
  process.stderr.write(
    `${installed.stdout ?? ""}\nThe installation failed. Check that the npm registry is reachable.\n`,
  );
  process.exit(1);
}

const node = join(root, "node_modules", "node", "bin", windows ? "node.exe" : "node");
const child = spawn(node, [script, ...scriptArguments], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${windows ? ";" : ":"}${process.env.PATH}` },
});
// A signal may reach only this process. It is passed on, so that the script does not keep running. This process ends with
// the script.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (status, signal) => process.exit(status ?? 128 + (constants.signals[signal] ?? 0)));
