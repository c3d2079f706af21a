import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { initApp, written } from "./init-app.ts";
import { runCli } from "./run-cli.ts";
import { readApp, type SampleApp, sampleApps, writeApp } from "./sample-apps.ts";

const express = sampleApps["Express 5, ESM"];

test("an app is shown each change and stays as it is without --yes", async () => {
  const folder = writeApp(express);
  const before = readApp(folder);
  const { code, output } = await runCli(["init", folder]);
  expect(code).toBe(0);
  for (const path of [express.entry, ".env", ".gitignore", "package.json"]) expect(output).toContain(`+++ ${path}`);
  expect(output).toContain("install @doorcode/core @doorcode/express");
  expect(output).toBe(stripVTControlCharacters(output));
  expect(readApp(folder)).toEqual(before);
});

test("--dry-run asks nothing and writes nothing, at a terminal too", async () => {
  const folder = writeApp(express);
  const before = readApp(folder);
  const { isTTY } = process.stdin;
  Object.defineProperty(process.stdin, "isTTY", { value: true, configurable: true });
  onTestFinished(() => void Object.defineProperty(process.stdin, "isTTY", { value: isTTY, configurable: true }));
  const { code, output } = await runCli(["init", folder, "--dry-run"]);
  expect([code, output]).toEqual([0, expect.stringContaining("Nothing was written.")]);
  expect(output).not.toContain("[y/N]");
  expect(readApp(folder)).toEqual(before);
});

test("--page installs the package of the login page and names its path; without it, the output names --page", async () => {
  const { output } = await initApp(express, {}, "--page");
  expect(output).toContain("install @doorcode/core @doorcode/express @doorcode/browser");
  expect(output).toContain("Open /login of your app");

  const { output: without } = await initApp(express);
  expect(without).not.toContain("loginPage");
  expect(without).toContain("init adds it with --page.");
});

const oneFile = (text: string): SampleApp => ({ ...express, files: { "src/index.js": text }, entry: "src/index.js" });

describe("doorcode init", () => {
  test("mounts the webhooks above every body parser, in the style of the file", async () => {
    const { after } = await initApp(sampleApps["Express 4, CommonJS"]);
    expect(after["server.js"]).toBe(`'use strict'
require('node:process')
const express = require('express')
const { phoneLogin, webhooks } = require('@doorcode/express')
const { doorcode } = require('./doorcode.js')

const app = express() // the app
app.use('/webhooks', webhooks(doorcode)) // above express.json(): the signature covers the exact bytes
app.use('/login', phoneLogin(doorcode))
app.use(express.json())
app.get('/', (req, res) => res.send('home'))
app.listen(process.env.PORT || 3000, 'localhost', () => console.log('listening'))
`);
  });

  test("registers the kit in an app that `require` of Fastify creates", async () => {
    const text = 'const fastify = require("fastify")({ logger: false });\nfastify.get("/", async () => "home");\n';
    const manifest = { name: "shop", scripts: { start: "node index.cjs" }, dependencies: { fastify: "^5.0.0" } };
    const { after, output } = await initApp({ ...express, manifest, entry: "index.cjs", files: { "index.cjs": text } });
    expect(after["index.cjs"]).toBe(`const { phoneLogin, webhooks } = require("@doorcode/fastify");
const { doorcode } = require("./doorcode.cjs");
const fastify = require("fastify")({ logger: false });
fastify.register(webhooks(doorcode), { prefix: "/webhooks" });
fastify.register(phoneLogin(doorcode), { prefix: "/login" });
fastify.get("/", async () => "home");
`);
    expect(output).toContain("install @doorcode/core @doorcode/fastify");
  });

  test("requires the kit below dotenv.config(), and says that an app loads .env too late for the kit", async () => {
    const sample = sampleApps["Express 4, CommonJS"];
    const requires = "const express = require('express')\nconst dotenv = require('dotenv')\n";
    const create = "const app = express()\n";
    const load = "dotenv.config()\n";
    const late = "Your app loads .env after the kit";
    const early = await initApp({ ...sample, files: { "server.js": `${requires}${load}${create}` } });
    expect(early.after["server.js"]).toMatch(/dotenv\.config\(\)\nconst .*\nconst \{ doorcode \} = require/);
    expect(early.output).not.toContain(late);
    const { output } = await initApp({ ...sample, files: { "server.js": `${requires}${create}${load}` } });
    expect(output).toContain(late);
  });

  test("keeps an import that stands below the app, and writes it once", async () => {
    const { after } = await initApp(
      oneFile('import express from "express";\nconst app = express();\nimport "./db.js";\napp.use(express.json());\n'),
    );
    expect(after["src/index.js"]).toBe(`import express from "express";
const app = express();
app.use("/webhooks", webhooks(doorcode)); // above express.json(): the signature covers the exact bytes
app.use("/login", phoneLogin(doorcode));
import "./db.js";
import { phoneLogin, webhooks } from "@doorcode/express";
import { doorcode } from "./doorcode.js";
app.use(express.json());
`);
  });

  test.each([
    { entry: "server.mjs", other: 'import "./config.js";', written: 'from "./doorcode.mjs";' },
    { entry: "server.js", other: 'import "./instrument.mjs";', written: 'from "./doorcode.js";' },
    { entry: "server.mts", other: 'import "./config.js";', written: 'from "./doorcode.mjs";' },
    { entry: "server.cjs", other: 'require("./config");', written: 'require("./doorcode.cjs");' },
  ])("$entry with $other names the extension that the kit's file has", async ({ entry, other, written }) => {
    const create = entry.endsWith("cjs") ? 'const express = require("express");' : 'import express from "express";';
    const text = `${other}\n${create}\nconst app = express();\n`;
    const manifest = { ...express.manifest, scripts: { start: `node ${entry}` } };
    const { after } = await initApp({ ...express, manifest, entry, files: { [entry]: text } });
    expect(after[entry]).toContain(written);
    expect(Object.keys(after)).toContain(entry.replace("server", "doorcode"));
  });

  test("overwrites no variable, no script and no kit, and shows no secret of the .env file", async () => {
    const own = { dev: "node --watch src/index.js", "dev:sandbox": "SHOP=sandbox node src/index.js" };
    const manifest = { ...express.manifest, scripts: { start: "node src/index.js", ...own } };
    const more = {
      ".env": "DATABASE=postgres://secret\nWEBHOOK_SECRET=mine\nTOKEN=also secret",
      "src/doorcode.js": "// mine\n",
      ".gitignore": ".env*\n",
    };
    const { after, output } = await initApp({ ...express, manifest }, more);
    expect(output).not.toMatch(/postgres:\/\/secret|mine|also secret/);
    expect(after[".env"]).toMatch(/^DATABASE=postgres:\/\/secret\nWEBHOOK_SECRET=mine\n/);
    expect(after[".env"]?.match(/WEBHOOK_SECRET=/g)).toHaveLength(1);
    expect(after[".env"]).toContain("SERVICE_URL=http://localhost:4010/v1\n");
    expect(after["src/doorcode.js"]).toBe("// mine\n");
    expect(after[".gitignore"]).toBe(".env*\n");
    const { scripts } = JSON.parse(after["package.json"] ?? "");
    expect(scripts).toMatchObject(own);
    expect(scripts["dev:doorcode"]).toMatch(
      /^doorcode-sandbox exec .* -- node --env-file=\.env --watch src\/index\.js$/,
    );
    expect(output).toContain("run the script dev:doorcode:");
  });

  test("changes no file outside the folder, wherever a script of package.json leads", async () => {
    const text = 'import express from "express";\nconst app = express();\napp.listen(3000);\n';
    const folder = writeApp({ ...express, files: { "other/server.js": text } });
    const app = join(folder, "app");
    mkdirSync(app);
    const manifest = { ...express.manifest, scripts: { start: "node ../other/server.js" } };
    writeFileSync(join(app, "package.json"), JSON.stringify(manifest));
    const { output } = await runCli(["init", app, ...written]);

    expect(readFileSync(join(folder, "other/server.js"), "utf8")).toBe(text);
    expect(readdirSync(join(folder, "other"))).toEqual(["server.js"]);
    expect(output).toContain('app.use("/webhooks", webhooks(doorcode));');
  });

  test.each([".env", "src/doorcode.js"])("writes nothing when %s is a link", async (path) => {
    const folder = writeApp(express);
    symlinkSync(join(folder, "elsewhere"), join(folder, path));
    const before = readApp(folder);
    const { code, errors } = await runCli(["init", folder, ...written]);

    expect([code, errors]).toEqual([2, expect.stringContaining(`doorcode: ${path} is a link`)]);
    expect(existsSync(join(folder, "elsewhere"))).toBe(false);
    unlinkSync(join(folder, path));
    expect(readFileSync(join(folder, "package.json"), "utf8")).toBe(before["package.json"]);
  });

  test.each(["null", "[]", '{"scripts":null,"main":5,"dependencies":{"express":5}}'])(
    "names what is missing in a package.json with %s",
    async (text) => {
      const folder = writeApp(express);
      writeFileSync(join(folder, "package.json"), text);
      const { code, errors } = await runCli(["init", folder, ...written]);
      expect([code, errors]).toEqual([2, expect.stringContaining("package.json does not have next, ")]);
    },
  );

  test.each([
    {
      title: "creates no app that it recognizes",
      text: 'import express from "express";\nexport default express().get("/");\n',
    },
    {
      title: "creates two apps",
      text: 'import express from "express";\nconst app = express();\nconst admin = express();\napp.use(admin);\n',
    },
    {
      title: "has one of the names already",
      text: 'import express from "express";\nconst app = express();\nconst webhooks = [];\napp.set("hooks", webhooks);\n',
    },
    {
      title: "has code behind the app in its line",
      text: 'import express from "express";\nconst app = express(); app.use(express.json());\n',
    },
    {
      title: "guards the code below the app by a semicolon of its own",
      text: "import express from 'express'\nconst app = express()\n;['/a'].forEach((path) => app.use(path))\n",
    },
    {
      title: "has sessions below one path only",
      text: 'import express from "express";\nimport session from "express-session";\nconst app = express();\napp.use("/admin", session({ secret: "s" }));\n',
    },
    {
      title: "gets its sessions in a function that runs later",
      text: 'import express from "express";\nimport session from "express-session";\nconst app = express();\nconnect().then(() => app.use(session({ secret: "s" })));\n',
    },
    { title: "cannot be parsed", text: 'import express from "express";\nconst app = express(;\n' },
  ])("prints the lines to add, and changes no source, when the file $title", async ({ text }) => {
    const { after, output } = await initApp(oneFile(text));
    expect(after["src/index.js"]).toBe(text);
    expect(Object.keys(after).filter((path) => path.endsWith("doorcode.js"))).toHaveLength(1);
    expect(output).toContain('app.use("/webhooks", webhooks(doorcode));');
  });

  test("leaves a route of the app at /webhooks alone", async () => {
    const text =
      'import express from "express";\nconst app = express();\napp.post("/webhooks", (_req, res) => res.end());\n';
    const { after } = await initApp(oneFile(text));
    expect(after["src/index.js"]).toContain('app.use("/doorcode-webhooks", webhooks(doorcode));');
  });

  test.each([
    { lockfile: "pnpm-lock.yaml", runs: "pnpm add @doorcode/core" },
    { lockfile: "yarn.lock", runs: "yarn add @doorcode/core" },
    { lockfile: "bun.lock", runs: "bun add @doorcode/core" },
    { lockfile: "package-lock.json", runs: "npm install @doorcode/core" },
  ])("installs with the package manager of $lockfile", async ({ lockfile, runs }) => {
    const folder = writeApp(express, { [lockfile]: "" });
    const { output } = await runCli(["init", folder, "--dry-run"]);
    expect(output).toContain(runs);
  });

  test.each([
    { listens: "app.listen(8080)", port: 8080 },
    { listens: 'app.listen(Number(process.env.PORT ?? "8080"))', port: 8080 },
    { listens: "const port = process.env.PORT || 8080; app.listen(port)", port: 8080 },
    { listens: 'app.listen({ host: "0.0.0.0", port: 8080 })', port: 8080 },
    { listens: "app.listen(process.env.PORT)", port: 3000 },
  ])("sends webhooks to port $port of an app with $listens", async ({ listens, port }) => {
    const folder = writeApp(oneFile(`import express from "express";\nconst app = express();\n${listens};\n`));
    const { output } = await runCli(["init", folder, "--dry-run"]);
    expect(output).toContain(`--webhook-url http://localhost:${port}/webhooks `);
  });

  test.each([
    {
      title: "an ES module that a bundler or tsc runs",
      type: "module",
      start: "tsx src/index.ts",
      imports: "./doorcode.js",
    },
    { title: "an ES module that Node runs", type: "module", start: "node src/index.ts", imports: "./doorcode.ts" },
    { title: "CommonJS", type: "commonjs", start: "tsx src/index.ts", imports: "./doorcode" },
    {
      title: "a file with imports of its own",
      type: "module",
      start: "x src/index.ts",
      other: "./db",
      imports: "./doorcode",
    },
  ])("imports the kit as TypeScript in $title needs it", async ({ type, start, other, imports }) => {
    const manifest = { ...express.manifest, type, scripts: { start } };
    const files = {
      "src/index.ts": `import express from "express";\n${other ? `import "${other}";\n` : ""}const app = express();\n`,
    };
    const folder = writeApp({ ...express, manifest, files });
    const { output } = await runCli(["init", folder, "--dry-run"]);
    expect(output).toContain(`+import { doorcode } from "${imports}";\n`);
  });

  test("writes nothing with --yes in an app whose Jest cannot load the kit, and names the upgrade", async () => {
    const folder = writeApp({ ...express, manifest: { ...express.manifest, devDependencies: { jest: "^26.6.0" } } });
    const before = readApp(folder);
    const { code, errors } = await runCli(["init", folder, ...written]);
    expect([code, errors]).toEqual([2, expect.stringContaining("npm install -D jest@29")]);
    expect(readApp(folder)).toEqual(before);
    const shown = await runCli(["init", folder, "--dry-run"]);
    expect([shown.code, shown.output]).toEqual([0, expect.stringContaining("npm install -D jest@29")]);
  });

  test("passes on the failure of the installation", async () => {
    const folder = writeApp(express);
    vi.stubEnv("PATH", join(folder, "nothing"));
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, errors } = await runCli(["init", folder, "--yes"]);
    expect(code).toBe(1);
    expect(errors).toContain("npm install @doorcode/core @doorcode/express");
  });
});
