// Builds the package in the current folder from scratch before it is packed. No file of an old build is published.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

rmSync("dist", { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-b"], { stdio: "inherit", shell: process.platform === "win32" });
process.exit(status ?? 1);
