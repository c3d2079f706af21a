import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { createDoorcode } from "@doorcode/core";
import { afterAll, describe, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "doorcode-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const run = promisify(execFile);
const options =
  '{ origins: ["https://app.example.com"], session: { password: "a password of the tests, long enough" } }';

/** Runs a program on the built packages, in a process of its own, and returns what it prints as JSON. */
async function runProgram(program: string, ...args: readonly string[]): Promise<unknown> {
  const imported = `import { createDoorcode } from "@doorcode/core";\n${program}`;
  const { stdout } = await run(process.execPath, [...args, "--input-type=module", "--eval", imported], {
    cwd: resolve(import.meta.dirname, "../.."),
  });
  return JSON.parse(stdout);
}

describe("createDoorcode({ store: path })", () => {
  test("keeps a session in the file for the next process, and leaves the file closed", async () => {
    const file = join(folder, "kept.sqlite");
    const kit = `const doorcode = createDoorcode({ ...${options}, store: ${JSON.stringify(file)} });`;
    const cookie = await runProgram(`${kit}
      const { setCookie } = await doorcode.session.start({ userId: "user_1" });
      await doorcode.close();
      console.log(JSON.stringify(setCookie.split(";")[0]));`);
    const session = await runProgram(`${kit}
      const headers = { host: "app.example.com", cookie: ${JSON.stringify(cookie)} };
      console.log(JSON.stringify(await doorcode.session.current({ headers })));
      await doorcode.close();`);
    expect(session).toMatchObject({ userId: "user_1" });
    // The last connection to close puts its log into the file.
    expect(() => statSync(`${file}-wal`)).toThrow("ENOENT");
  });

  test("loads SQLite for a file alone", async () => {
    const loads = (store: string) =>
      runProgram(`await createDoorcode({ ...${options}, store: ${store} }).close();
        console.log(process.moduleLoadList.includes("NativeModule sqlite"));`);
    expect(await loads("undefined")).toBe(false);
    expect(await loads(JSON.stringify(join(folder, "loaded.sqlite")))).toBe(true);
  });

  test("says which package to install, if it is missing", async () => {
    const hooks = join(folder, "hooks.mjs");
    writeFileSync(
      hooks,
      `import { registerHooks } from "node:module";
      registerHooks({
        resolve(specifier, context, next) {
          if (specifier !== "@doorcode/sqlite") return next(specifier, context);
          throw Object.assign(new Error("Cannot find module"), { code: "MODULE_NOT_FOUND" });
        },
      });`,
    );
    const refused = `try {
        createDoorcode({ ...${options}, store: "./doorcode.sqlite" });
      } catch (error) {
        console.log(JSON.stringify(error.message));
      }`;
    expect(await runProgram(refused, "--import", hooks)).toContain("run npm install @doorcode/sqlite");
  });

  test.each([[""], ["redis"], ["./sqlite"], [{}], [1]])("refuses %o as a store, and names both kinds", (store) => {
    expect(() => createDoorcode({ store: store as string })).toThrow(
      /store: expected a store, such as .*, or the path of a file that ends in \.sqlite, such as "\.\/doorcode\.sqlite"/,
    );
  });
});
