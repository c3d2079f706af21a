import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);

/** A small app as somebody has it, before `init`. */
export interface SampleApp {
  readonly manifest: Readonly<Record<string, unknown>>;
  /** The files by path. */
  readonly files: Readonly<Record<string, string>>;
  /** The file that creates the app. */
  readonly entry: string;
  /** The framework, and the package.json of the version that is installed. */
  readonly framework: { readonly name: "express" | "fastify"; readonly linkedTo: string };
}

const listen = 'app.listen(Number(process.env.PORT ?? 3000), "localhost", () => console.log("listening"));\n';

/** One app of each kind. */
export const sampleApps = {
  "Express 4, CommonJS": {
    manifest: { name: "shop", scripts: { start: "node server.js" }, dependencies: { express: "^4.22.0" } },
    entry: "server.js",
    files: {
      "server.js": `'use strict'
require('node:process')
const express = require('express')

const app = express() // the app
app.use(express.json())
app.get('/', (req, res) => res.send('home'))
app.listen(process.env.PORT || 3000, 'localhost', () => console.log('listening'))
`,
    },
    framework: { name: "express", linkedTo: require.resolve("express4/package.json") },
  },
  "Express 5, ESM": {
    manifest: {
      name: "shop",
      type: "module",
      scripts: { start: "node src/index.js" },
      dependencies: { express: "^5.0.0" },
    },
    entry: "src/app.js",
    files: {
      "src/index.js": `import { createApp } from "./app.js";\n\nconst app = createApp();\n${listen}`,
      "src/app.js": `import express from "express";

export function createApp() {
  const app = express();
  app.use(express.json());
  app.get("/", (_req, res) => res.send("home"));
  return app;
}
`,
    },
    framework: { name: "express", linkedTo: require.resolve("express/package.json") },
  },
  "Express 5, TypeScript": {
    manifest: {
      name: "shop",
      type: "module",
      scripts: { dev: "node src/server.ts" },
      dependencies: { express: "^5.0.0" },
    },
    entry: "src/server.ts",
    files: {
      "tsconfig.json": "{}\n",
      "src/server.ts": `import express, { type Express, type Request } from "express";

interface Größe {
  readonly 日本: string;
}
const app: Express = express();
app.use(express.json());
app.get("/", (_req: Request, res) => res.send("home" satisfies string as unknown as Größe));
${listen}`,
    },
    framework: { name: "express", linkedTo: require.resolve("express/package.json") },
  },
} as const satisfies Readonly<Record<string, SampleApp>>;

const workshop = join(root, ".doorcode");

/** Writes an app into a folder of its own, with the workspace's packages as its installed ones. */
export function writeApp(
  { manifest, files, framework }: SampleApp,
  more: Readonly<Record<string, string>> = {},
): string {
  mkdirSync(workshop, { recursive: true });
  const folder = mkdtempSync(join(workshop, "init-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  const lockfile = Object.keys(more).some((path) => /lock/.test(path)) ? {} : { "package-lock.json": "{}\n" };
  for (const [path, content] of Object.entries({ "package.json": text, ...lockfile, ...files, ...more })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@doorcode"), { recursive: true });
  mkdirSync(join(modules, ".bin"));
  symlinkSync(dirname(framework.linkedTo), join(modules, framework.name));
  for (const name of ["core", framework.name, "fetch", "sandbox"]) {
    symlinkSync(join(root, "packages", name), join(modules, "@doorcode", name));
  }
  const command = `#!/usr/bin/env node\nimport ${JSON.stringify(join(root, "packages/sandbox/dist/cli.js"))};\n`;
  writeFileSync(join(modules, ".bin/doorcode-sandbox.mjs"), command, { mode: 0o755 });
  symlinkSync("doorcode-sandbox.mjs", join(modules, ".bin/doorcode-sandbox"));
  return folder;
}

/** Puts packages of the workspace into an app. */
export function linkModules(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const place = join(folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, "node_modules", name), place);
  }
}

/** The texts of an app's files by path. */
export function readApp(folder: string, path = ""): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
      const below = join(path, entry.name);
      if (entry.name === "node_modules" || !existsSync(join(folder, below))) return [];
      return entry.isDirectory()
        ? Object.entries(readApp(folder, below))
        : [[below, readFileSync(join(folder, below), "utf8")]];
    }),
  );
}
