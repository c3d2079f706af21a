// Builds the package in this folder from nothing, before it is packed: what an old build left behind is not published.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

rmSync("dist", { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-b"], { stdio: "inherit", shell: process.platform === "win32" });
process.exit(status ?? 1);
