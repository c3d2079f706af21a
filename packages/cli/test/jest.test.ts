import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Plan, planInit } from "../src/init/plan.ts";

const require = createRequire(import.meta.url);
const packages = "(?:@doorcode|cookie|iron-session|iron-webcrypto|tinyqueue|uint8array-extras)/";
const compiled = `/node_modules/${packages}.+\\.m?js$`;
const ignored = `/node_modules/(?!(?:.+/node_modules/)?${packages})`;
const transformer = "<rootDir>/jest.doorcode.cjs";
const setupFiles = ["<rootDir>/jest.doorcode-env.cjs"];
/** The patterns as they stand in a source. */
const inSource = (pattern: string) => pattern.replaceAll("\\", "\\\\");

interface JestApp {
  readonly jest?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Writes an app with Jest and its configuration. */
function writeApp(
  files: Readonly<Record<string, string>>,
  { jest = "^29.7.0", scripts = { test: "jest" }, more = {} }: JestApp = {},
): string {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-jest-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const manifest = { scripts, dependencies: { express: "^4.22.0" }, devDependencies: { jest }, ...more };
  const app = 'const express = require("express");\nconst app = express();\nmodule.exports = app;\n';
  const all = { "package.json": JSON.stringify(manifest, undefined, 2), "app.js": app, ...files };
  for (const [path, text] of Object.entries(all)) write(folder, path, text);
  return folder;
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Does what init does, but for the installation. */
function init(folder: string): Plan & { readonly written: readonly string[] } {
  const plan = planInit({ folder, countries: ["DE"] });
  for (const { path, after } of plan.changes) write(folder, path, after);
  return { ...plan, written: plan.changes.map(({ path }) => path) };
}

const read = (folder: string, path: string) => readFileSync(join(folder, path), "utf8");
const manifestOf = (folder: string) => JSON.parse(read(folder, "package.json"));

/** Loads the configuration of a file as Jest does. */
function configIn(folder: string, path: string): object {
  if (path.endsWith(".json")) return JSON.parse(read(folder, path));
  const exported = require(join(folder, path));
  return exported.default ?? exported;
}

describe("doorcode init in an app with Jest", () => {
  test("adds a configuration and the packages that compile where there is none", () => {
    const folder = writeApp({});
    const { installs, written } = init(folder);
    expect(manifestOf(folder).jest).toEqual({
      transform: { [compiled]: transformer, "\\.[jt]sx?$": "babel-jest" },
      transformIgnorePatterns: [ignored, "\\.pnp\\.[^\\/]+$"],
      setupFiles,
    });
    expect(read(folder, "jest.doorcode.cjs")).toContain('require("babel-jest")');
    expect(installs.at(-1)).toEqual([
      ...["npm", "install", "-D", "babel-jest@29"],
      ...["@babel/plugin-transform-modules-commonjs@7", "@babel/plugin-transform-dynamic-import@7"],
    ]);
    expect(written).toContain("jest.doorcode.cjs");
  });

  test.each([
    { given: {}, becomes: { transform: { "\\.[jt]sx?$": "babel-jest" } } },
    { given: { preset: "ts-jest", setupFiles: [] }, becomes: {} },
    { given: { transform: { "^.+\\.ts$": "ts-jest" } }, becomes: { transform: { "^.+\\.ts$": "ts-jest" } } },
  ])("puts its transform before the others, in a package.json whose key jest is $given", ({ given, becomes }) => {
    const folder = writeApp({}, { more: { jest: given } });
    init(folder);
    const { jest } = manifestOf(folder);
    expect(Object.entries(jest.transform)).toEqual([
      [compiled, transformer],
      ...Object.entries(becomes.transform ?? {}),
    ]);
    const more = { transform: jest.transform, transformIgnorePatterns: [ignored, expect.any(String)], setupFiles };
    expect(jest).toEqual({ ...given, ...more });
  });

  test.each([
    { path: "jest.config.js", text: "module.exports = {\n  preset: 'ts-jest',\n  verbose: true,\n}\n" },
    {
      path: "jest.config.cjs",
      text: "const config = { preset: 'ts-jest', verbose: true };\nmodule.exports = config;\n",
    },
    {
      path: "jest.config.mjs",
      text: 'const defineConfig = (config) => config;\nexport default defineConfig({ preset: "ts-jest", verbose: true });\n',
    },
    {
      path: "jest.config.ts",
      text: 'const config: object = {\n  preset: "ts-jest", // types\n  verbose: true,\n};\n\nexport default config;\n',
    },
    { path: "jest.config.json", text: '{\n  "preset": "ts-jest",\n  "verbose": true\n}\n' },
  ])("changes $path with an object literal", ({ path, text }) => {
    const folder = writeApp({ [path]: text });
    init(folder);
    const config = configIn(folder, path);
    expect(config).toEqual({
      transform: { [compiled]: transformer },
      transformIgnorePatterns: [ignored, "\\.pnp\\.[^\\/]+$"],
      setupFiles,
      preset: "ts-jest",
      verbose: true,
    });
    expect(manifestOf(folder).jest).toBeUndefined();
  });

  test("writes in the style of the configuration", () => {
    const folder = writeApp({
      "jest.config.js": "module.exports = {\n\n  verbose: true,\n  preset: 'ts-jest'\n}\n",
    });
    init(folder);
    expect(read(folder, "jest.config.js")).toBe(`module.exports = {

  transform: { '${inSource(compiled)}': '${transformer}' },

  transformIgnorePatterns: ['${inSource(ignored)}', '\\\\.pnp\\\\.[^\\\\/]+$'],

  setupFiles: ['${setupFiles[0]}'],

  verbose: true,
  preset: 'ts-jest'
}
`);
  });

  test.each([
    { given: ["/node_modules/"], becomes: [ignored] },
    { given: ["<rootDir>/node_modules", "/build/"], becomes: [ignored, "/build/"] },
    { given: [ignored], becomes: [ignored] },
    {
      given: ["/node_modules/(?!(uuid|nanoid)/)"],
      becomes: [`/node_modules/(?!(?:.+/node_modules/)?${packages}|(uuid|nanoid)/)`],
    },
    {
      given: ["node_modules[/\\\\](?!uuid)"],
      becomes: [`node_modules[/\\\\](?!(?:.+/node_modules/)?${packages}|uuid)`],
    },
  ])("lets its files through the ignored patterns $given, and sets its variables last", ({ given, becomes }) => {
    const jest = { transformIgnorePatterns: given, setupFiles: ["dotenv/config"] };
    const folder = writeApp({}, { more: { jest } });
    init(folder);
    expect(manifestOf(folder).jest).toMatchObject({
      transformIgnorePatterns: becomes,
      setupFiles: ["dotenv/config", ...setupFiles],
    });
  });

  test("sets the variables of the kit, and overwrites none", () => {
    const folder = writeApp({});
    init(folder);
    const print = "console.log(JSON.stringify(process.env))";
    const options = { cwd: folder, env: { SERVICE_URL: "mine" }, encoding: "utf8" } as const;
    const { stdout } = spawnSync(process.execPath, ["-r", "./jest.doorcode-env.cjs", "-e", print], options);
    expect(JSON.parse(stdout)).toEqual({
      SERVICE_URL: "mine",
      SERVICE_API_KEY: "sandbox-api-key",
      WEBHOOK_SECRET: "sandbox-webhook-secret",
      SESSION_PASSWORD: expect.stringContaining("sandbox"),
    });
  });

  test("finds the transformer from the root directory of each configuration that a script names", () => {
    const jest = { rootDir: "src", transform: { "^.+\\.ts$": "ts-jest" } };
    const scripts = { test: "jest", "test:e2e": "jest --config ./test/jest-e2e.json" };
    const folder = writeApp(
      { "test/jest-e2e.json": JSON.stringify({ ...jest, rootDir: "." }) },
      { scripts, more: { jest } },
    );
    init(folder);
    const expected = { [compiled]: "<rootDir>/../jest.doorcode.cjs", "^.+\\.ts$": "ts-jest" };
    expect(manifestOf(folder).jest.transform).toEqual(expected);
    expect(configIn(folder, "test/jest-e2e.json")).toMatchObject({ transform: expected });
  });

  test.each([
    { title: "is a function", text: "module.exports = async () => ({});\n" },
    {
      title: "spreads another for one of its options",
      text: "const base = {};\nmodule.exports = { ...base, transform: {}, transformIgnorePatterns: [] };\n",
    },
    { title: "has a computed preset", text: "module.exports = { preset: preset() };\n" },
    { title: "has computed ignored patterns", text: "module.exports = { transformIgnorePatterns: patterns() };\n" },
    { title: "has a computed ignored pattern", text: "module.exports = { transformIgnorePatterns: [pattern()] };\n" },
    { title: "has projects", text: "module.exports = { projects: ['a', 'b'] };\n" },
    { title: "has a preset that it does not know", text: "module.exports = { preset: 'another-preset' };\n" },
    { title: "has a computed transform", text: "module.exports = { transform: transforms() };\n" },
    { title: "has computed setup files", text: "module.exports = { setupFiles: files() };\n" },
    { title: "has a computed root directory", text: "module.exports = { rootDir: __dirname };\n" },
    {
      title: "ignores the files by another pattern",
      text: 'module.exports = { transformIgnorePatterns: ["/dist/"] };\n',
    },
    { title: "cannot be parsed", text: "module.exports = {\n" },
  ])("prints the lines to add when the configuration $title", ({ text }) => {
    const folder = writeApp({ "jest.config.js": text });
    const { notes } = init(folder);
    expect(read(folder, "jest.config.js")).toBe(text);
    expect(read(folder, "jest.doorcode.cjs")).toContain("babel-jest");
    const note = notes.find((each) => each.startsWith("Add to the configuration of Jest in jest.config.js"));
    expect(note).toContain(`transform: { ${JSON.stringify(compiled)}: "${transformer}" }`);
  });

  test.each([
    { title: "is outside the folder", config: "../jest.config.json" },
    { title: "is not there", config: "missing/jest.config.js" },
  ])("prints the lines to add when the configuration that a script names $title", ({ config }) => {
    const folder = writeApp({ "app/.keep": "" }, { scripts: { test: `jest --config ${config}` } });
    const app = join(folder, "app");
    write(folder, "jest.config.json", "{}");
    write(app, "package.json", read(folder, "package.json"));
    const { notes } = init(app);
    expect(notes.find((note) => note.includes(`Jest in ${config}`))).toContain(transformer);
    expect(read(folder, "jest.config.json")).toBe("{}");
    expect(manifestOf(app).jest).toBeUndefined();
  });

  test("takes no configuration of another program for that of Jest", () => {
    const folder = writeApp({ "other.json": "{}" }, { scripts: { test: "eslint -c other.json . && jest --ci" } });
    init(folder);
    expect(read(folder, "other.json")).toBe("{}");
    expect(manifestOf(folder).jest.setupFiles).toEqual(setupFiles);
  });

  test.each([
    { runner: "vitest", scripts: { test: "vitest run" }, more: { devDependencies: { vitest: "^3.0.0" } } },
    {
      runner: "Jest with ES modules",
      scripts: { test: "NODE_OPTIONS=--experimental-vm-modules jest" },
      more: { devDependencies: { jest: "^30.0.0" } },
    },
  ])("writes no configuration of Jest for tests under $runner", ({ scripts, more }) => {
    const folder = writeApp({}, { scripts, more });
    const { written, installs } = init(folder);
    expect(manifestOf(folder).jest).toBeUndefined();
    expect(init(folder).notes).toEqual([]);
    expect(written).not.toContain("jest.doorcode.cjs");
    expect(installs.flat().join(" ")).not.toContain("babel");
  });

  test.each(["mocha", "node --test test/*.test.js"])(
    "runs tests beside a sandbox, which has the variables of the kit: %s",
    (test) => {
      const folder = writeApp({}, { scripts: { test }, more: { devDependencies: {} } });
      init(folder);
      expect(manifestOf(folder).scripts.test).toBe(`doorcode-sandbox exec -- ${test}`);
      expect(init(folder).changes).toEqual([]);
    },
  );

  test.each(["tsc && vitest run", "NODE_ENV=test mocha"])(
    "leaves a script of several commands to a person: %s",
    (test) => {
      const folder = writeApp({}, { scripts: { test }, more: { devDependencies: {} } });
      const { notes } = init(folder);
      expect(manifestOf(folder).scripts.test).toBe(test);
      expect(notes).toContainEqual(expect.stringContaining('put "doorcode-sandbox exec --" before'));
    },
  );

  test.each([
    { title: "do not exist", test: 'echo "Error: no test specified" && exit 1' },
    { title: "run under Jest", test: "jest" },
  ])("changes no script of tests that $title", ({ test }) => {
    const devDependencies = test === "jest" ? { jest: "^29.0.0" } : {};
    const folder = writeApp({}, { scripts: { test }, more: { devDependencies } });
    const { notes } = init(folder);
    expect(notes.join()).not.toContain("Tests that load your app");
    expect(manifestOf(folder).scripts.test).toBe(test);
  });

  test.each(["26.6.3", "27.5.1"])("leaves an installed Jest %s alone, and names the upgrade", (version) => {
    const folder = writeApp({}, { more: { devDependencies: { jest: "latest", "ts-jest": "latest" } } });
    write(folder, "node_modules/jest/package.json", JSON.stringify({ name: "jest", version }));
    const { refusal, written, installs } = init(folder);
    expect(refusal).toContain(`Jest ${version.slice(0, 2)}`);
    expect(refusal).toContain("npm install -D jest@29 ts-jest@29");
    expect(written).not.toContain("jest.doorcode.cjs");
    expect(installs.flat().join(" ")).not.toContain("babel");
  });

  test.each([
    { jest: "^30.0.0", core: "^8.0.0", plugin: 8 },
    { jest: "^30.0.0", core: "^7.0.0", plugin: 7 },
    { jest: "^29.0.0", core: "^8.0.0", plugin: 7 },
  ])("takes plugins for Babel $plugin with Jest $jest and Babel $core", ({ jest, core, plugin }) => {
    const folder = writeApp({}, { more: { devDependencies: { jest, "@babel/core": core } } });
    const name = `@babel/plugin-transform-modules-commonjs@${plugin}`;
    expect(init(folder).installs.at(-1)).toEqual(expect.arrayContaining([name]));
  });

  test("installs what is lacking, by the package manager of the app", () => {
    const devDependencies = { jest: "^29.0.0", "@babel/plugin-transform-modules-commonjs": "^7.0.0" };
    const folder = writeApp({ "pnpm-lock.yaml": "" }, { more: { devDependencies } });
    const lacking = ["babel-jest@29", "@babel/plugin-transform-dynamic-import@7"];
    expect(init(folder).installs.at(-1)).toEqual(["pnpm", "add", "-D", ...lacking]);
  });

  test("finds a Jest that no script names", () => {
    const folder = writeApp({}, { scripts: { test: "make test" } });
    init(folder);
    expect(manifestOf(folder).jest).toMatchObject({ setupFiles });
  });

  test("finds the Jest of a workspace around the app", () => {
    const folder = writeApp({}, { more: { devDependencies: {} } });
    write(folder, "node_modules/jest/package.json", '{ "name": "jest", "version": "28.1.3" }');
    const app = join(folder, "app");
    write(app, "package.json", read(folder, "package.json"));
    expect(init(app).installs.at(-1)).toContain("babel-jest@28");
    expect(manifestOf(app).jest).toMatchObject({ setupFiles });
  });

  test("keeps the files of an earlier run as they were changed", () => {
    const mine = { "jest.doorcode.cjs": "// mine\n", "jest.doorcode-env.cjs": "// mine too\n" };
    const folder = writeApp(mine);
    init(folder);
    for (const [path, text] of Object.entries(mine)) expect(read(folder, path)).toBe(text);
  });

  test("follows the path of the configuration that package.json names", () => {
    const folder = writeApp({ "config/jest.json": '{ "rootDir": ".." }' }, { more: { jest: "./config/jest.json" } });
    init(folder);
    expect(configIn(folder, "config/jest.json")).toMatchObject({ rootDir: "..", setupFiles });
    expect(manifestOf(folder).jest).toBe("./config/jest.json");
  });

  test.each([
    { title: "without a configuration", files: {} },
    { title: "with a plain one", files: { "jest.config.js": "module.exports = { preset: 'ts-jest' };\n" } },
  ])("is not changed by a second init $title", ({ files }) => {
    const folder = writeApp(files);
    init(folder);
    expect(init(folder).written).toEqual([]);
  });
});
