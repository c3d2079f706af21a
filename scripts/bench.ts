import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename } from "node:path";
import { build } from "./build.ts";
import { Complaint, complaintOf } from "./ports.ts";

/** Runs the benchmark that is named, `sandbox` unless another is; what follows the name is for the benchmark. */
function bench([name = "sandbox", ...options]: readonly string[]): void {
  const names = globSync("test/benchmarks/*.ts").map((file) => basename(file, ".ts"));
  if (!names.includes(name)) {
    throw new Complaint(`There is no benchmark ${name}: npm run bench -- takes ${names.sort().join(" or ")}.`);
  }
  build();
  const { status } = spawnSync(process.execPath, [`test/benchmarks/${name}.ts`, ...options], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}

try {
  bench(process.argv.slice(2));
} catch (error) {
  const complaint = complaintOf(error);
  if (!complaint) throw error;
  process.stderr.write(`${complaint.message}\n`);
  process.exitCode = 1;
}
