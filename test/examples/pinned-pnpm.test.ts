import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../support/listen.ts";

const root = resolve(import.meta.dirname, "../..");

/** A stand-in for pnpm: it notes how it was called. */
const standIn = `
const { appendFileSync, mkdirSync } = require("node:fs");
appendFileSync("calls.txt", process.argv.slice(2).join(" ") + "\\n");
mkdirSync("node_modules", { recursive: true });`;

/** Packs a package of the name pnpm. */
function packPnpm(source: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-pinned-"));
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", "pnpm.cjs"), source);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "pnpm", version: "10.0.0" }));
  execFileSync("npm", ["pack", "--silent"], { cwd: folder });
  const packed = readFileSync(join(folder, "pnpm-10.0.0.tgz"));
  rmSync(folder, { recursive: true });
  return packed;
}

const tarball = packPnpm(standIn);
const changedTarball = packPnpm(`${standIn}\n// changed`);

const sha512 = (bytes: Buffer, encoding: "hex" | "base64") => createHash("sha512").update(bytes).digest(encoding);

/** Starts a registry that has only pnpm, and always reports the hash of what it serves. */
async function startRegistry(served: Buffer) {
  const registry = { tarball: served, requests: 0, url: "" };
  const server = createServer(({ url }, answer) => {
    registry.requests++;
    if (url?.endsWith(".tgz")) return void answer.end(registry.tarball);
    const dist = {
      tarball: `${registry.url}/pnpm/-/pnpm-10.0.0.tgz`,
      integrity: `sha512-${sha512(registry.tarball, "base64")}`,
    };
    const version = { name: "pnpm", version: "10.0.0", dist };
    answer.setHeader("content-type", "application/json");
    answer.end(JSON.stringify({ name: "pnpm", "dist-tags": { latest: "10.0.0" }, versions: { "10.0.0": version } }));
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  registry.url = url;
  return registry;
}

/** Creates a folder for one test. */
function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-pinned-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a repository with the script of this one, and a way to run it. */
function createRepository(registry: { readonly url: string }, packageManager: string) {
  const folder = createFolder();
  for (const path of ["scripts", "packages/one", "examples"]) mkdirSync(join(folder, path), { recursive: true });
  cpSync(join(root, "scripts/run.mjs"), join(folder, "scripts/run.mjs"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, packageManager }));
  writeFileSync(join(folder, "pnpm-lock.yaml"), "");
  writeFileSync(join(folder, "packages/one/package.json"), "{}");
  writeFileSync(join(folder, "scripts/hello.mjs"), `process.stdout.write("hello");`);
  const own = Object.entries(process.env).filter(([name]) => !/^(NODE_|npm_)/i.test(name));
  const npm = {
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, "cache"),
    npm_config_fetch_retries: "0",
  };
  const env = { ...Object.fromEntries(own), ...npm };
  return {
    folder,
    calls: () => (existsSync(join(folder, "calls.txt")) ? readFileSync(join(folder, "calls.txt"), "utf8") : ""),
    run: () =>
      new Promise<{ output: string; errors: string; isDone: boolean }>((done) =>
        execFile(
          process.execPath,
          ["scripts/run.mjs", "scripts/hello.mjs"],
          { cwd: folder, env },
          (error, out, errors) => done({ output: out, errors, isDone: error === null }),
        ),
      ),
  };
}

const pinned = (bytes: Buffer) => `pnpm@10.0.0+sha512.${sha512(bytes, "hex")}`;
const installing = "Installing what the lockfile names, which takes a minute …\n";
const isDone = { output: "hello", errors: "", isDone: true };
const isInstalled = { ...isDone, errors: installing };
const call = "install --frozen-lockfile\n";

test("the pnpm of package.json is downloaded once: not for a second run, changed manifests, or missing packages", async () => {
  const registry = await startRegistry(tarball);
  const { folder, calls, run } = createRepository(registry, pinned(tarball));
  expect([await run(), calls()]).toEqual([isInstalled, call]);
  const { requests } = registry;
  expect(requests).toBeGreaterThan(0);
  rmSync(join(folder, "cache"), { recursive: true });

  expect([await run(), calls()]).toEqual([isDone, call]);
  writeFileSync(join(folder, "packages/one/package.json"), `{"name":"one"}`);
  expect([await run(), calls()]).toEqual([isInstalled, call + call]);
  rmSync(join(folder, "node_modules"), { recursive: true });
  expect([await run(), calls()]).toEqual([isInstalled, call + call + call]);
  expect(registry.requests).toBe(requests);
});

test("a pnpm with another hash is not run, also if the registry names that hash", async () => {
  const registry = await startRegistry(changedTarball);
  const { calls, run } = createRepository(registry, pinned(tarball));
  const { errors, isDone: isRun } = await run();
  expect(errors).toMatch(/\nThe registry's pnpm does not have the hash in package\.json\. Nothing of it was run\.\n$/);
  expect([isRun, calls()]).toEqual([false, ""]);

  registry.tarball = tarball;
  expect(await run()).toEqual(isInstalled);
});

test("a version without a hash is refused", async () => {
  const registry = await startRegistry(tarball);
  const { calls, run } = createRepository(registry, "pnpm@10.0.0");
  expect(await run()).toEqual({
    output: "",
    errors: `${installing}packageManager in package.json must be pnpm@VERSION+sha512.HASH.\n`,
    isDone: false,
  });
  expect([calls(), registry.requests]).toEqual(["", 0]);
});
