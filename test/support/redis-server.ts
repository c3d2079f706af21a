import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { Redis } from "ioredis";
import { findFreePort } from "./free-port.ts";

/** The servers that the store is tested on; Valkey only where it is installed. */
export type RedisBinary = "redis-server" | "valkey-server";

/** A server of the test's own, on a free port of the loopback. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Asks it as somebody else would: for what tests look up, and for its settings. */
  readonly admin: Redis;
  /** Stops answering, with every connection open; resolves when it surely does not answer any more. */
  pause(): Promise<void>;
  resume(): void;
  /** Dies without a word, as by `kill -9`. */
  kill(): Promise<void>;
  /** Ends as an operator ends it, and cuts off whoever is connected. */
  shutDown(): Promise<void>;
  /** Comes back on the same port after it ended, with what it had written to disk. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** What a server is started with. */
export interface RedisServerOptions {
  readonly binary?: RedisBinary;
  /** Settings as on the command line: `["--appendonly", "yes"]`. */
  readonly settings?: readonly string[];
}

/** Tells whether a program can be started. */
export function isInstalled(binary: RedisBinary): boolean {
  try {
    execFileSync(binary, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A server that answers, whoever keeps it. */
export interface RunningRedis {
  readonly url: string;
  close(): Promise<void>;
}

/** Names the server that was started for all files of tests, to their processes. */
export const sharedRedisVariable = "DOORCODE_SHARED_REDIS";

/**
 * Finds the server that the tests may use: `TEST_REDIS_URL`, else the one that all test files share, else one of their
 * own; `undefined` where there is none. Other tests use it at the same time, so a test looks only at its own keys there.
 */
export async function findRedis(): Promise<RunningRedis | undefined> {
  const url = process.env.TEST_REDIS_URL ?? process.env[sharedRedisVariable];
  if (url) return { url, close: async () => undefined };
  if (!isInstalled("redis-server")) return undefined;
  const server = await startRedis();
  return { url: server.url, close: server.stop };
}

const ready = "Ready to accept connections";

/** Starts a server that keeps nothing on disk unless told to, and waits until it answers. */
export async function startRedis({
  binary = "redis-server",
  settings = [],
}: RedisServerOptions = {}): Promise<RedisServer> {
  if (!isInstalled(binary)) throw new Error(`${binary} is not on the PATH: install it to run this test.`);
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), "doorcode-redis-"));
  const options = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...settings];
  let running = await launch(binary, options, ready);
  const admin = new Redis({ port, host: "127.0.0.1", retryStrategy: () => 50, maxRetriesPerRequest: null });
  admin.on("error", () => undefined);

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    admin,
    async pause() {
      process.kill(running.pid, "SIGSTOP");
      while (!stateOf(running.pid).startsWith("T")) await wait(1);
    },
    resume: () => void process.kill(running.pid, "SIGCONT"),
    kill: () => end(running),
    async shutDown() {
      const { guard } = running;
      const exited = new Promise((resolve) => guard.once("exit", resolve));
      process.kill(running.pid, "SIGTERM");
      await exited;
      guard.stdin?.end();
    },
    async restart() {
      running = await launch(binary, options, ready);
    },
    async stop() {
      admin.disconnect();
      await end(running);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A program under guard. */
export interface Running {
  readonly guard: ChildProcess;
  readonly pid: number;
}

/**
 * Starts the server below a shell that kills it as soon as its own input ends: also when this process is killed, so that
 * no server outlives the tests.
 *
 * @param sign - what it says when it is up.
 */
export async function launch(binary: RedisBinary, options: readonly string[], sign: string): Promise<Running> {
  const guarded = `exec 3<&0; "$@" < /dev/null & pid=$!; echo "pid $pid"
    { cat <&3 > /dev/null; kill -9 $pid 2> /dev/null; } & wait $pid`;
  const guard = spawn("sh", ["-c", guarded, "sh", binary, ...options], { stdio: ["pipe", "pipe", "ignore"] });
  const said: string[] = [];
  const { promise: started, resolve, reject } = Promise.withResolvers<void>();
  createInterface({ input: guard.stdout }).on("line", (line) => {
    said.push(line);
    if (line.includes(sign)) resolve();
  });
  guard.once("exit", () => reject(new Error(`${binary} did not start:\n${said.join("\n")}`)));
  await started;
  return { guard, pid: Number(said.find((line) => line.startsWith("pid "))?.slice(4)) };
}

/** Kills a program, if it still runs. */
export async function end({ guard }: Running): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  const exited = new Promise((resolve) => guard.once("exit", resolve));
  guard.stdin?.end();
  await exited;
}

function stateOf(pid: number): string {
  return execFileSync("ps", ["-o", "stat=", "-p", `${pid}`], { encoding: "utf8" }).trim();
}

/** A cluster of primaries, with the slots divided evenly. */
export interface RedisCluster {
  readonly nodes: readonly RedisServer[];
  stop(): Promise<void>;
}

const slots = 16_384;

/** Starts a cluster without replicas, and waits until every node knows of all. */
export async function startRedisCluster(size = 3): Promise<RedisCluster> {
  const nodes: RedisServer[] = [];
  const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())));
  try {
    for (let index = 0; index < size; index++) nodes.push(await startClusterNode(index, size));
    const [first, ...others] = nodes;
    const port = (await first?.admin.config("GET", "cluster-port")) as readonly string[];
    for (const { admin } of others) await admin.cluster("MEET", "127.0.0.1", first?.port ?? 0, Number(port[1]));
    for (const node of nodes) await clusterIsWhole(node, size);
    return { nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startClusterNode(index: number, size: number): Promise<RedisServer> {
  const busPort = await findFreePort();
  const node = await startRedis({
    settings: ["--cluster-enabled", "yes", "--cluster-port", `${busPort}`, "--cluster-node-timeout", "2000"],
  });
  const [from, to] = [Math.floor((index * slots) / size), Math.floor(((index + 1) * slots) / size) - 1];
  await node.admin.cluster("ADDSLOTSRANGE", from, to);
  await node.admin.cluster("SET-CONFIG-EPOCH", index + 1);
  return node;
}

async function clusterIsWhole({ admin }: RedisServer, size: number): Promise<void> {
  const whole = (info: string) =>
    info.includes("cluster_state:ok") &&
    info.includes(`cluster_known_nodes:${size}\r`) &&
    info.includes(`cluster_size:${size}\r`);
  while (!whole(await admin.cluster("INFO"))) await wait(20);
}
