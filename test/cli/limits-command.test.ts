import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { phoneLogin } from "@doorcode/fetch";
import { migrate } from "@doorcode/postgres";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findPostgres, startPglite } from "../support/postgres-server.ts";
import { runCli, spawnCli } from "./run-cli.ts";

const kit = resolve(import.meta.dirname, "kit.ts");
const run = (...args: readonly string[]) => runCli(["limits", ...args]);

/** Runs the command in another process than the app. */
function runElsewhere(...args: readonly string[]) {
  const { TEST_DATABASE, TEST_SCHEMA } = process.env;
  return spawnCli(["limits", ...args], { TEST_DATABASE, TEST_SCHEMA });
}

describe("the limits of a running app", () => {
  const schema = `doorcode_test_${randomUUID().replaceAll("-", "")}`;
  const ends: (() => Promise<unknown>)[] = [];
  let start: (phone: string) => Promise<number>;

  beforeAll(async () => {
    const server = (await findPostgres()) ?? (await startPglite());
    const admin = new Pool({ connectionString: server.url, max: 1 });
    await migrate(admin, { schema });
    vi.stubEnv("TEST_DATABASE", server.url);
    vi.stubEnv("TEST_SCHEMA", schema);
    const app = await import("./kit.ts");
    const login = phoneLogin(app.doorcode, { basePath: "/login" });
    start = async (phone) => {
      const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
      const init = { method: "POST", headers, body: JSON.stringify({ phone }) };
      const request = new Request("http://localhost/login/start", init);
      return (await login(request, { remoteAddress: "203.0.113.7" }))?.status ?? 404;
    };
    ends.push(
      () => app.doorcode.close(),
      () => app.pool.end(),
      () => admin.query(`DROP SCHEMA ${schema} CASCADE`),
      () => admin.end(),
      () => server.close(),
    );
  });

  afterAll(async () => {
    for (const end of ends) await end();
    vi.unstubAllEnvs();
  });

  test("are listed while they are closed, opened, and closed again by the app", async () => {
    const before = await run("state", "--kit", kit);
    const numbers = Array.from({ length: 8 }, (_, index) => `+49151234567${index + 10}`);
    const statuses = [];
    for (const number of numbers) statuses.push(await start(number));
    const closed = await runElsewhere("state", "--kit", kit);
    const asJson = await run("state", "--kit", kit, "--json");
    const opened = await runElsewhere("open", "block", "+491512345", "--kit", kit);
    const after = await run("state", "--kit", kit);

    expect(before).toEqual({ code: 0, output: "Nothing is closed.\n", errors: "" });
    expect(statuses).toEqual([...Array(6).fill(200), 429, 429]);
    expect(closed).toMatchObject({ code: 0, errors: "" });
    expect(closed.output).toMatch(/^ {2}kind {3}value {7}opens in\n {2}block {2}\+491512345 {2}(1 h 0|\d\d) min\n$/);
    expect(JSON.parse(asJson.output)).toEqual([
      { kind: "block", value: "+491512345", secondsLeft: expect.any(Number) },
    ]);
    expect(opened).toEqual({ code: 0, output: "block +491512345 is open.\n", errors: "" });
    expect(after.output).toBe("Nothing is closed.\n");
    expect(await start("+4915123456799")).toBe(200);
  });

  test("are not opened by a value that nothing has met, and the command says so", async () => {
    const wrong = await run("open", "address", "192.0.2.1", "--kit", kit);
    const asJson = await run("open", "phone", "+4915199999999", "--kit", kit, "--json");
    expect([wrong.code, wrong.output]).toEqual([1, expect.stringContaining("Nothing was closed or counted")]);
    expect([asJson.code, JSON.parse(asJson.output)]).toEqual([1, { opened: false }]);
  });

  test("are described as text and as JSON", async () => {
    const text = await run("describe", "--kit", kit);
    const asJson = await run("describe", "--kit", kit, "--json");
    expect([text.code, text.errors]).toEqual([0, ""]);
    expect(text.output).toMatch(/^ {2}sendsPerPhonePerDay +10$/m);
    expect(text.output).toMatch(/^ {2}ofLogin +0\.0005 %$/m);
    expect(text.output).toMatch(/^ {2}block +6 +85 % +0\.003 %$/m);
    expect(text.output).toMatch(/^ {2}app +100 +0\.02$/m);
    expect(JSON.parse(asJson.output)).toMatchObject({
      limits: { sendsPerPhone: 5 },
      guessing: { ofLogin: expect.closeTo(5e-6, 9) },
    });
  });

  test("are not known while the store is away", async () => {
    const { TEST_DATABASE } = process.env;
    vi.stubEnv("TEST_DATABASE", "postgres://127.0.0.1:1/none");
    const { code, output, errors } = await runElsewhere("state", "--kit", kit);
    vi.stubEnv("TEST_DATABASE", TEST_DATABASE);
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toMatch(/^doorcode: The data store is temporarily unavailable\.[^\n]*\n$/);
  });
});

describe("a wrong command ends with code 2 and one line that says what to do", () => {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-kits-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const module = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const core = JSON.stringify(resolve(import.meta.dirname, "../../packages/core/src/index.ts"));
  const inMemory = `import { appCodes, createDoorcode } from ${core};
    const create = () => createDoorcode({
      service: { baseUrl: "http://127.0.0.1:1", apiKey: "key" },
      session: { password: "p".repeat(32) },
      login: { countries: ["DE"], codes: appCodes() },
    });`;

  test.each([
    ["no action", [], /describe, state, or open KIND VALUE/],
    ["an unknown option", ["state", "--kits", kit], /these arguments are wrong, see --help/],
    ["no kit", ["state"], /--kit is missing: name the module/],
    ["open without a value", ["open", "block", "--kit", kit], /open KIND VALUE, with KIND one of block/],
    ["an unknown kind", ["open", "country", "DE", "--kit", kit], /KIND one of block, wide_block, address/],
    ["a number as it is dialled", ["open", "phone", "0151 23456789", "--kit", kit], /in E\.164, such as/],
    ["a file that is not there", ["state", "--kit", "./nothing.js"], /nothing\.js: there is no such file/],
    ["a module that fails", ["state", "--kit", module("fails.mjs", "throw new Error('no database');")], /no database/],
    [
      "a module without a kit",
      ["state", "--kit", module("none.mjs", "export const kit = {};")],
      /under the name doorcode/,
    ],
    [
      "a module with two kits",
      ["state", "--kit", module("two.mjs", `${inMemory} export const [first, second] = [create(), create()];`)],
      /several kits: export .* under the name doorcode/,
    ],
    [
      "a kit that no other process shares",
      ["state", "--kit", module("memory.mjs", `${inMemory} export default create();`)],
      /in the memory of one process.*createRedisStore/,
    ],
    [
      "a kit without a login",
      [
        "describe",
        "--kit",
        module("bare.mjs", `import { createDoorcode } from ${core}; export default createDoorcode({});`),
      ],
      /without login/,
    ],
  ])("%s", async (_what, args, message) => {
    const { code, output, errors } = await run(...args);
    expect({ code, output, lines: errors.split("\n").length }).toEqual({ code: 2, output: "", lines: 2 });
    expect(errors).toMatch(message);
  });
});

test("--help says how to use it", async () => {
  const { code, output, errors } = await run("--help");
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(output).toContain("npx @doorcode/cli limits describe|state --kit FILE");
});
