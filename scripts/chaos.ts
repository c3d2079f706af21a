import { spawnSync } from "node:child_process";

/** Runs the chaos tests with 100,000 events, or as many as `DOORCODE_CHAOS_EVENTS` says; `npm test` runs them with 10,000. */
function runChaos(paths: readonly string[]): void {
  const env = { DOORCODE_CHAOS_EVENTS: "100000", ...process.env };
  const { status } = spawnSync("vitest", ["run", ...(paths.length > 0 ? paths : ["test/chaos"])], {
    stdio: "inherit",
    env,
    shell: process.platform === "win32",
  });
  process.exitCode = status ?? 1;
}

runChaos(process.argv.slice(2));
