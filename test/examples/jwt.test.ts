import { randomUUID } from "node:crypto";
import { createMemoryStore } from "@doorcode/core";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { SignJWT } from "jose";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createExpressApp } from "../../examples/jwt/express.ts";
import { createFastifyApp } from "../../examples/jwt/fastify.ts";
import { createTable, createTokens, type TokenPair, type Tokens } from "../../examples/jwt/tokens.ts";
import type { ServedApp } from "../adapters/host.ts";
import { serveExpress } from "../adapters/serve-express.ts";
import { serveFastify } from "../adapters/serve-fastify.ts";
import { findPostgres } from "../support/postgres-server.ts";

const origin = "https://app.example.com";
const secret = "a key of the tests, 32 characters";

type Serve = (sandbox: Sandbox, tokens: Tokens) => Promise<ServedApp>;
const frameworks: readonly (readonly [name: string, serve: Serve])[] = [
  ["Express", ({ env }, tokens) => serveExpress(createExpressApp({ ...env }, origin, tokens, createMemoryStore()))],
  ["Fastify", ({ env }, tokens) => serveFastify(createFastifyApp({ ...env }, origin, tokens, createMemoryStore()))],
];

const postgres = await findPostgres();
let logins = 0;

/** Signs an access token of the login `sid`, by default one that has expired. */
function accessTokenOf(sid: string, { key = secret, expires = "1s ago" } = {}): Promise<string> {
  const token = new SignJWT({ sid }).setProtectedHeader({ alg: "HS256" }).setSubject("user_1");
  return token.setExpirationTime(expires).sign(new TextEncoder().encode(key));
}

describe.skipIf(!postgres).each(frameworks)("examples/jwt on %s", (_name, serve) => {
  const schema = `doorcode_test_${randomUUID().replaceAll("-", "")}`;
  const pool = new Pool({ connectionString: postgres?.url, options: `-c search_path=${schema}` });
  const tokens = createTokens(pool, secret);
  let sandbox: Sandbox;
  let app: ServedApp;
  beforeAll(async () => {
    await pool.query(`CREATE SCHEMA ${schema}`);
    await pool.query(createTable);
    sandbox = await createSandbox({ port: 0 });
    app = await serve(sandbox, tokens);
  });
  afterAll(async () => {
    await app.close();
    await sandbox.close();
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });

  /** Posts as the page does, which is of another site. */
  async function post(path: string, body: object, headers: Record<string, string> = {}) {
    const own = { origin, "sec-fetch-site": "cross-site", "content-type": "application/json" };
    const init = { method: "POST", headers: { ...own, ...headers }, body: JSON.stringify(body) };
    const response = await fetch(`${app.url}${path}`, init);
    return { status: response.status, headers: response.headers, json: JSON.parse(await response.text()) };
  }

  async function logIn(own: Record<string, string> = {}): Promise<TokenPair> {
    // Each login has a number of another block: a number waits before its next code, and a block of numbers has a limit.
    const phone = `+49151123${String(logins++).padStart(2, "0")}457`;
    const started = await post("/login/start", { phone });
    const { code } = await sandbox.inbox.wait({ to: phone });
    const headers = { ...own, "doorcode-transaction": started.json.transactionToken };
    const confirmed = await post("/login/confirm", { code }, headers);
    return confirmed.json.result;
  }

  const bearer = ({ accessToken }: Pick<TokenPair, "accessToken">) => ({ authorization: `Bearer ${accessToken}` });
  const account = async (pair: Pick<TokenPair, "accessToken">) =>
    (await fetch(`${app.url}/account`, { headers: bearer(pair) })).status;

  test("a page of another site logs in, and its access token opens the API", async () => {
    const headers = {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    };
    const preflight = await fetch(`${app.url}/login/start`, { method: "OPTIONS", headers });
    const pair = await logIn();
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, origin]);
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
    expect(pair.expiresInSeconds).toBe(600);
    expect(await account(pair)).toBe(200);
  });

  test("an access token that has expired opens nothing, and its refresh token gets a new pair", async () => {
    const { refreshToken } = await logIn();
    const accessToken = await accessTokenOf(randomUUID());
    const refreshed = await post("/token", { refreshToken });
    expect(await account({ accessToken })).toBe(401);
    expect(refreshed.status).toBe(200);
    expect(refreshed.json.refreshToken).not.toBe(refreshToken);
    expect(await account(refreshed.json)).toBe(200);
  });

  test("of fifty requests with one refresh token at the same time one gets a pair, and the login ends", async () => {
    const { refreshToken } = await logIn();
    const answers = await Promise.all(Array.from({ length: 50 }, () => post("/token", { refreshToken })));
    const [pair, ...more] = answers.filter(({ status }) => status === 200);
    expect([pair?.status, more.length]).toEqual([200, 0]);
    expect((await post("/token", { refreshToken: pair?.json.refreshToken })).status).toBe(401);
  });

  test("after a logout its refresh token gets nothing, also if the access token had expired", async () => {
    const { refreshToken } = await logIn();
    const accessToken = await accessTokenOf(refreshToken.split(".")[0] ?? "");
    await post("/login/logout", {}, bearer({ accessToken }));
    expect((await post("/token", { refreshToken })).status).toBe(401);
  });

  test("a login ends the one that its request came with", async () => {
    const before = await logIn();
    const after = await logIn(bearer(before));
    expect((await post("/token", { refreshToken: before.refreshToken })).status).toBe(401);
    expect((await post("/token", { refreshToken: after.refreshToken })).status).toBe(200);
  });

  test("what is no token of the app gets nothing", async () => {
    const { refreshToken } = await logIn();
    const forged = `${randomUUID()}.${refreshToken.split(".")[1]}`;
    for (const body of [{}, { refreshToken: "x" }, { refreshToken: forged }]) {
      expect((await post("/token", body)).status).toBe(401);
    }
    const accessToken = await accessTokenOf("x", { key: "another key, 32 characters long ..", expires: "1h" });
    expect(await account({ accessToken })).toBe(401);
  });
});
