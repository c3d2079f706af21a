import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCli } from "./run-cli.ts";
import { sampleApps, writeApp } from "./sample-apps.ts";

const express = sampleApps["Express 5, ESM"];
const written = ["--yes", "--no-install"] as const;
const entry = join("src", "app.js");

/** Writes an app whose one source has these lines after the statement that creates the app. */
function writeSource(after: string | Buffer): { readonly folder: string; readonly bytes: Buffer } {
  const bytes = Buffer.concat([
    Buffer.from('import express from "express";\nconst app = express();\n'),
    typeof after === "string" ? Buffer.from(after) : after,
  ]);
  const folder = writeApp({ ...express, files: { "src/app.js": "" } });
  writeFileSync(join(folder, entry), bytes);
  return { folder, bytes };
}

describe("doorcode init in a folder that holds something else than it expects", () => {
  test("keeps each byte of a source that is not UTF-8, and prints the lines to add", async () => {
    const { folder, bytes } = writeSource(Buffer.from("// für\n", "latin1"));
    const { code, output } = await runCli(["init", folder, ...written]);

    expect([code, output]).toEqual([0, expect.stringContaining('app.use("/webhooks", webhooks(doorcode));')]);
    expect(readFileSync(join(folder, entry)).equals(bytes)).toBe(true);
  });

  test("writes nothing when the .env file is not UTF-8: a password in it would be destroyed", async () => {
    const folder = writeApp(express);
    const secret = Buffer.from("PASSWORD=grüß\n", "latin1");
    writeFileSync(join(folder, ".env"), secret);
    const before = readdirSync(folder);
    const { code, errors } = await runCli(["init", folder, ...written]);

    expect([code, errors]).toEqual([2, expect.stringContaining("doorcode: .env is not UTF-8")]);
    expect(readFileSync(join(folder, ".env")).equals(secret)).toBe(true);
    expect(readdirSync(folder)).toEqual(before);
  });

  test.each([
    { what: "a folder", put: (path: string) => void mkdirSync(path) },
    { what: "a pipe that nobody writes to", put: (path: string) => void spawnSync("mkfifo", [path]) },
    { what: "a file of 2 MB", put: (path: string) => writeFileSync(path, " ".repeat(2_000_000)) },
  ])("passes over a source that is $what, and names one that it would have to change", async ({ put }) => {
    const beside = writeApp(express);
    put(join(beside, "index.js"));
    const instead = writeApp(express);
    put(join(instead, ".gitignore"));

    expect(await runCli(["init", beside, ...written])).toMatchObject({ code: 0, errors: "" });
    expect(await runCli(["init", instead, ...written])).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^doorcode: \.gitignore .*\n$/),
    });
  });

  test("reads a package.json with a byte order mark as npm does, and keeps the mark", async () => {
    const folder = writeApp(express);
    const manifest = join(folder, "package.json");
    writeFileSync(manifest, `\uFEFF${readFileSync(manifest, "utf8")}`);
    expect(await runCli(["init", folder, ...written])).toMatchObject({ code: 0, errors: "" });
    expect(readFileSync(manifest, "utf8")).toMatch(/^\uFEFF\{.*doorcode-sandbox exec/s);
  });

  test("shows control characters of a source as text: they must not hide a change", async () => {
    const { folder } = writeSource("// \u001b[2K\u001b]0;title\u0007 \u202e\rhidden\r\n");
    const { output } = await runCli(["init", folder, ...written]);
    expect(output).toContain("// \\u{1b}[2K\\u{1b}]0;title\\u{7} \\u{202e}\\u{d}hidden\r\n");
  });

  test("shows control characters of a note as text, and writes none of a source into the kit", async () => {
    const lines = [
      'import { model, Schema } from "mongoose";',
      'import jwt from "jsonwebtoken";',
      'export const User = model("User", new Schema({ "e\\u001b[2Kmail": { required: true } }));',
      'export const sign = (userId) => jwt.sign({ "a;hacked()//": userId }, process.env.KEY);',
    ];
    const { folder } = writeSource(`${lines.join("\n")}\n`);
    const { output } = await runCli(["init", folder, ...written]);

    expect(output).toContain("  e\\u{1b}[2Kmail: not required");
    expect(output).not.toContain("\u001b[2K");
    expect(readFileSync(join(folder, "src/doorcode.js"), "utf8")).not.toContain("hacked");
  });

  test.each(["größe of\nit's|app & cat>hacked;!#1~.js", 'the "app" $(touch hacked)`touch hacked` \\$HOME.js', "-p.js"])(
    "writes a script that runs a file named %j, and nothing else",
    async (main) => {
      const text = `import express from "express";\nconst app = express();\n`;
      const manifest = { ...express.manifest, main, scripts: {} };
      const folder = writeApp({ ...express, manifest, files: { [main]: text } });
      expect(await runCli(["init", folder, ...written])).toMatchObject({ code: 0, errors: "" });
      const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const before = readdirSync(folder);

      // In place of the sandbox, a program that prints its arguments.
      const sandbox = join(folder, "node_modules/.bin/doorcode-sandbox");
      rmSync(sandbox);
      writeFileSync(sandbox, `#!${process.execPath}\nconsole.log(JSON.stringify(process.argv));\n`, { mode: 0o755 });
      const env = { PATH: `${dirname(sandbox)}:${process.env.PATH}` };
      const { stdout, stderr } = spawnSync("sh", ["-c", scripts.dev], { cwd: folder, env, encoding: "utf8" });

      expect(stderr).toBe("");
      const passed: string[] = JSON.parse(stdout);
      const [node, option, file = "", ...others] = passed.slice(passed.indexOf("--") + 1);
      expect([node, option, join(folder, file), others]).toEqual(["node", "--env-file=.env", join(folder, main), []]);
      expect(file).not.toMatch(/^-/);
      expect(readdirSync(folder)).toEqual(before);
    },
  );
});
