// Runs a script of this folder on the workspace's own Node, after installing what the lockfile names.
// Plain JavaScript, because only this file runs on the Node that the machine has.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(fileURLToPath(new URL(".", import.meta.url)), "..");
const windows = process.platform === "win32";
const [script, ...scriptArguments] = process.argv.slice(2);

const read = (...path) => readFileSync(join(root, ...path), "utf8");
const manifests = ["packages", "examples"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => [folder, name, "package.json"]),
);
const wanted = createHash("sha256")
  .update([["pnpm-lock.yaml"], ["package.json"], ...manifests].map((path) => read(...path)).join("\0"))
  .digest("hex");
// Asking pnpm takes seconds, so an installation of exactly these files is not asked about again.
const stamp = join(root, "node_modules", ".doorcode-installed");

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  const { packageManager } = JSON.parse(read("package.json"));
  // A slow registry is not waited for when pnpm is here already.
  const installed = spawnSync("npx", ["--yes", "--prefer-offline", packageManager, "install", "--frozen-lockfile"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    shell: windows,
  });
  if (installed.status !== 0) {
    process.stderr.write(
      `${installed.stdout ?? ""}\nThe installation failed. Check that the npm registry can be reached from here.\n`,
    );
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
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
