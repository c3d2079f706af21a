import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { createSandbox } from "@doorcode/sandbox";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startCluster } from "../../examples/cluster/cluster.ts";
import { type Answer, openBrowser } from "../support/browser.ts";
import { listen } from "../support/listen.ts";
import { isInstalled, type RedisServer, startRedis } from "../support/redis-server.ts";
import { npmStart } from "./npm-start.ts";

const soon = { timeout: 30_000, interval: 50 };

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.skipIf(!isInstalled("redis-server"))("npm start -- cluster", { timeout: 300_000 }, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  /** Starts it, and waits until everything is up. */
  async function startUp() {
    const run = npmStart(["cluster"], { REDIS_URL: redis.url });
    onTestFinished(() => run.kill("SIGKILL"));
    const said = await run.says(/Press Ctrl-C to stop everything/);
    const [url = ""] = said.match(/http:\S+(?=, a proxy)/) ?? [];
    const pids = [...said.matchAll(/is process (\d+)/g)].map(([, pid]) => Number(pid));
    return { ...run, url, pids };
  }

  const answeredBy = async (url: string) => (await fetch(`${url}/login`)).headers.get("x-served-by");

  test("completes a login in the other process after kill -9 of the one in which it started", async () => {
    const sandbox = await createSandbox({ port: 0 });
    onTestFinished(() => sandbox.close());
    const events = { printed: () => undefined, forwarded: () => undefined };
    const env = { ...process.env, ...sandbox.env, REDIS_URL: redis.url };
    const cluster = await startCluster(0, env, events);
    onTestFinished(cluster.close);
    const browser = openBrowser(cluster.url);
    const phone = `+49151${randomInt(20_000_000, 30_000_000)}`;
    const servedBy = ({ headers }: Answer) => headers.get("x-served-by") ?? "";
    const started = await browser.post("/login/start", { phone });
    const { code } = await sandbox.inbox.wait({ to: phone });
    await cluster.processes.get(servedBy(started))?.kill();
    const confirmed = await browser.post("/login/confirm", { code });

    expect([started.status, confirmed.status]).toEqual([200, 200]);
    expect([servedBy(started), servedBy(confirmed)].sort()).toEqual(["A", "B"]);
  });

  test("replaces a process that is killed, and ends all of them on Ctrl-C", async () => {
    const { url, pids, ended, says, kill } = await startUp();
    const before = [await answeredBy(url), await answeredBy(url)];
    const [first = 0] = pids;
    process.kill(first, "SIGKILL");
    await expect.poll(() => isRunning(first), soon).toBe(false);
    const meanwhile = await fetch(`${url}/login`);
    await says(/replaces it/);
    await expect.poll(() => answeredBy(url), soon).toBe("A");
    kill("SIGINT");

    expect(before.toSorted()).toEqual(["A", "B"]);
    expect(meanwhile.status).toBe(200);
    expect((await ended).code).toBe(0);
    expect(pids.filter(isRunning)).toEqual([]);
  });
});

test("npm start -- cluster says what to do when a server stays silent in place of Redis", {
  timeout: 180_000,
}, async () => {
  const server = createServer(() => undefined);
  const { port } = await listen(server);
  onTestFinished(() => void server.close());
  const { code, said } = await npmStart(["cluster"], { REDIS_URL: `redis://:pass_word@127.0.0.1:${port}` }).ended;

  expect(code).toBe(1);
  expect(said).toMatch(new RegExp(`No Redis answers at 127\\.0\\.0\\.1:${port}.*docker compose up -d redis`));
  expect(said).not.toMatch(/pass_word|^\s+at /m);
});
