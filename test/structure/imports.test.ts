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

describe("importing @doorcode/express", () => {
  const files = filesOf(`await import("@doorcode/express"); await import("@doorcode/core");`);

  test("loads the packages that a start needs, and no HTTP client", () => {
    // iron-session seals sessions; the others are what it brings.
    const seals = ["cookie", "iron-session", "iron-webcrypto", "uint8array-extras"];
    const packages = new Set(files.map(packageOf).filter((name) => name !== undefined));
    expect(packages).toEqual(new Set(["express", "core", ...seals, "libphonenumber-js"]));
  });

  test("loads the metadata of phone numbers, without the hundred files of the library", () => {
    expect(files.filter((file) => file.startsWith("libphonenumber-js/")).sort()).toEqual([
      "libphonenumber-js/examples.mobile.json.js",
      "libphonenumber-js/metadata.max.json.js",
    ]);
  });

  test("loads core in a few files", () => {
    expect(files.filter((file) => file.startsWith("core/")).length).toBeLessThan(20);
  });
});

test("a store of another package checks its options by the rules of core", () => {
  const program = `
    const { createRedisStore } = await import("@doorcode/redis");
    const client = { duplicate() {}, evalsha() {}, defineCommand() {} };
    for (const wrong of [{ timeoutSecond: 1 }, { timeoutSeconds: 9 }, { clock: 1 }, { client: {} }]) {
      try { createRedisStore({ client, ...wrong }); } catch ({ name, message }) { console.log(name, message); }
    }`;
  const command = ["--input-type=module", "--eval", program];
  const printed = execFileSync(process.execPath, command, { cwd: resolve(folder, "../redis"), encoding: "utf8" });
  expect(printed.trim().split("\n")).toEqual([
    expect.stringContaining(
      "TypeError createRedisStore: options: unknown option timeoutSecond; did you mean timeoutSeconds?",
    ),
    expect.stringContaining("TypeError createRedisStore: timeoutSeconds: expected seconds above 0 and below 4"),
    expect.stringContaining("TypeError createRedisStore: clock: expected a Clock"),
    expect.stringContaining("TypeError createRedisStore: client: expected a client of ioredis 6"),
  ]);
});

describe("importing @doorcode/sandbox", () => {
  test("loads a few files, of no other package but the metadata of phone numbers", () => {
    const files = filesOf(`await import("../sandbox/dist/index.js");`);
    const packages = new Set(files.map(packageOf).filter((name) => name !== undefined));
    expect(packages).toEqual(new Set(["sandbox", "libphonenumber-js"]));
    expect(files.length).toBeLessThan(10);
  });
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
