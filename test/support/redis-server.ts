import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { Redis } from "ioredis";
import { findFreePort } from "./free-port.ts";

/** The servers on which the package is tested, where they are installed. */
export type RedisBinary = "redis-server" | "valkey-server";

/** A server that a test has started, on a free port of the loopback interface. */
export interface RedisServer {
  /** Its port on 127.0.0.1. */
  readonly port: number;
  /** Its URL for clients. */
  readonly url: string;
  /** A client of the test, for reading keys and changing settings. */
  readonly admin: Redis;
  /** Stops the process, with every connection left open. Resolves when it has stopped. */
  pause(): Promise<void>;
  /** Continues after {@link RedisServer.pause}. */
  resume(): void;
  /** Kills the process with `kill -9`. */
  kill(): Promise<void>;
  /** Shuts the server down in the regular way, which closes its connections. */
  shutDown(): Promise<void>;
  /** Starts again on the same port, with the data that it has on disk. */
  restart(): Promise<void>;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
}

/** Options of {@link startRedis}. */
export interface RedisServerOptions {
  /** The program; `redis-server` when left out. */
  readonly binary?: RedisBinary;
  /** Settings as on the command line: `["--appendonly", "yes"]`. */
  readonly settings?: readonly string[];
}

/** Tells whether a program is on the PATH. */
export function isInstalled(binary: RedisBinary): boolean {
  try {
    execFileSync(binary, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A running server, which the tests may not have started. */
export interface RunningRedis {
  /** Its URL for clients. */
  readonly url: string;
  /** Ends the server if the tests have started it. */
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

/** Starts a server and waits until it replies. It stores nothing on disk unless `settings` say so. */
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

/** A program and the shell that guards it. */
export interface Running {
  /** The shell. */
  readonly guard: ChildProcess;
  /** The id of the process of the program. */
  readonly pid: number;
}

/**
 * Starts a server under a shell that kills it when the input of the shell ends. This happens even when this process is
 * killed, so no server outlives the tests.
 *
 * @param sign - a text that the server prints when it is ready.
 */
export async function launch(binary: RedisBinary, options: readonly string[], sign: string): Promise<Running> {
  const guarded = `exec 3<&0; "$@" < /dev/null & pid=$!; echo "pid $pid"
    { cat <&3 > /dev/null; kill -9 $pid 2> /dev/null; } & wait $pid`;
  const guard = spawn("sh", ["-c", guarded, "sh", binary, ...options], { stdio: ["pipe", "pipe", "ignore"] });
  const printed: string[] = [];
  const { promise: started, resolve, reject } = Promise.withResolvers<void>();
  // The server may be ready before the shell has printed the id.
  const isPid = (line: string) => line.startsWith("pid ");
  createInterface({ input: guard.stdout }).on("line", (line) => {
    printed.push(line);
    if (printed.some(isPid) && printed.some((each) => each.includes(sign))) resolve();
  });
  guard.once("exit", () => reject(new Error(`${binary} did not start:\n${printed.join("\n")}`)));
  await started;
  return { guard, pid: Number(printed.find(isPid)?.slice(4)) };
}

/** Kills a program, unless it has ended. */
export async function end({ guard }: Running): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  const exited = new Promise((resolve) => guard.once("exit", resolve));
  guard.stdin?.end();
  await exited;
}

function stateOf(pid: number): string {
  return execFileSync("ps", ["-o", "stat=", "-p", `${pid}`], { encoding: "utf8" }).trim();
}

/** A cluster of primaries with equal shares of the slots. */
export interface RedisCluster {
  /** The primaries. */
  readonly nodes: readonly RedisServer[];
  /** Stops all nodes. */
  stop(): Promise<void>;
}

const slots = 16_384;

/** Starts a cluster without replicas, and waits until every node knows all others. */
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
