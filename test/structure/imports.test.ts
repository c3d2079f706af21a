import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";

/** The folder of a package that has express and the packages as they are published. */
const folder = resolve(import.meta.dirname, "../../packages/express");

/** Prints the files that Node loads while `program` runs. What express loads is not among them. */
const listLoaded = (program: string) => `
  import { registerHooks } from "node:module";
  await import("express");
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  process.on("exit", () => console.log(loaded.filter((url) => url.startsWith("file:")).join("\\n")));
  ${program}`;

/** Returns the files that Node loads while a program runs to its end, as `package/file`. */
function filesOf(program: string): readonly string[] {
  const command = ["--input-type=module", "--eval", listLoaded(program)];
  const printed = execFileSync(process.execPath, command, { cwd: folder, encoding: "utf8" });
  return printed.split("\n").map((url) => url.replace(/.*\/(?:node_modules|packages)\//, ""));
}

const packageOf = (file: string) => /^(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];

test("importing @doorcode/express loads no HTTP client", () => {
  const files = filesOf(`await import("@doorcode/express"); await import("@doorcode/core");`);
  expect(files.map(packageOf)).toContain("core");
  expect(files.map(packageOf)).not.toContain("undici");
});

describe("a kit that was created", () => {
  const createKit = `
    const { createDoorcode } = await import("@doorcode/core");
    createDoorcode({ service: { baseUrl: "http://localhost:4010/v1", apiKey: "key" } });`;
  const loadsUndici = (program: string) => filesOf(program).some((file) => packageOf(file) === "undici");

  test("loads no HTTP client while the app starts, and keeps no process alive for it", () => {
    expect(loadsUndici(createKit)).toBe(false);
  });

  test("loads its HTTP client as soon as the app has started, before a login asks for it", () => {
    expect(loadsUndici(`${createKit} await new Promise(setImmediate);`)).toBe(true);
  });
});
