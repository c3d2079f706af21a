import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFreePort } from "../support/free-port.ts";

const root = resolve(import.meta.dirname, "../..");
/** A copy of the repository: what is changed and built in it disturbs no other test. */
const copy = mkdtempSync(join(tmpdir(), "doorcode-contributing-"));
/** The packages of the registry, which the copy shares: installing them again would take longer than all commands. */
const installed = "node_modules/.pnpm";

beforeAll(() => {
  const tracked = spawnSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  const files = tracked.stdout.split("\n").filter((file) => file !== "" && existsSync(join(root, file)));
  // With the builds, which need not be made again, and the links of the installation, which lead to the packages of the copy.
  const made = globSync(["packages/*/dist", "{.,packages/*,examples/*}/node_modules"], { cwd: root });
  // Examples with an installation of their own have more packages than the kit, which no command here needs.
  const filter = (source: string) => basename(source) !== ".pnpm";
  for (const path of [...files, ...made]) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter };
    cpSync(join(root, path), join(copy, path), options);
  }
  symlinkSync(join(root, installed), join(copy, installed));
  // Changesets ask git for the root of the repository.
  spawnSync("git", ["init", "--quiet"], { cwd: copy });
}, 300_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The environment of a terminal: without the variables that vitest sets for its own processes. */
function terminal(env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_(?!EXTRA_CA_CERTS$)|TEST$|npm_)/.test(name),
  );
  return { ...Object.fromEntries(own), ...env };
}

const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
const written = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap((fence) => (fence[1] ?? "").trim().split("\n"));

test("every command of CONTRIBUTING.md is a script of package.json", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const named = written.map((command) => /^npm (?:run )?(\w[\w-]*)/.exec(command)?.[1] ?? command);
  expect(named.filter((name) => !(name in scripts) && !/^(?:npx|pnpm) /.test(name))).toEqual([]);
});

test("npm run dev shows a changed line of core under the running example, with a debugger", {
  timeout: 300_000,
}, async () => {
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()].map(String);
  // The machine's npm: that of the workspace is started by a shell, which would take the signal below.
  const PATH = (process.env.PATH ?? "").split(delimiter).filter((path) => !path.includes("node_modules"));
  const env = terminal({ PORT: port ?? "", SANDBOX_PORT: sandboxPort ?? "", PATH: PATH.join(delimiter) });
  // Port 9229 may be taken by a debugger of the person who runs this.
  const dev = spawn("npm", ["run", "dev", "--", "--inspect=0"], { cwd: copy, env, detached: true });
  const ended = new Promise((end) => dev.once("close", end));
  let output = "";
  for (const stream of [dev.stdout, dev.stderr]) stream.on("data", (text) => (output += text));

  const waiting = { timeout: 60_000, interval: 250 };
  const refusal = async () => {
    const answer = await fetch(`http://localhost:${port}/login/start`, { method: "POST", body: "{}", headers: json });
    return ((await answer.json()) as { title: string }).title;
  };
  try {
    await expect.poll(() => refusal().catch(() => ""), waiting).toMatch(/phone number/);
    expect(output).toContain("Debugger listening");
    const errors = join(copy, "packages/core/src/util/errors.ts");
    const source = readFileSync(errors, "utf8");
    const title = "Enter a valid phone number, starting with + and the country code.";
    expect(source).toContain(title);
    await writeFile(errors, source.replace(title, "A changed line."));
    await expect.poll(() => refusal().catch(() => ""), waiting).toBe("A changed line.");
  } finally {
    // Its output closes when everything has ended that it has started.
    dev.kill();
    await ended;
  }
});

const json = { "content-type": "application/json" };
