import { fork } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createProxy, type ForwardedRequest, type Target } from "./proxy.ts";

/** A process of the app. */
export interface AppProcess extends Target {
  /** The id of the process. */
  readonly pid: number;
  /** Resolves when the process has ended: true if it was told to end, or ended without an error. */
  readonly ended: Promise<boolean>;
  /** Kills the process without a warning. */
  kill(): Promise<void>;
  /** Stops the process after its work in progress. */
  stop(): Promise<void>;
}

/** Callbacks for the events of a running cluster. */
export interface ClusterEvents {
  /** A process has answered a request. */
  readonly forwarded: (request: ForwardedRequest) => void;
  /** A process has printed a line. */
  readonly printed: (name: string, line: string) => void;
}

/** The processes of the app, and the proxy in front of them. */
export interface Cluster {
  /** The URL of the proxy. */
  readonly url: string;
  /** The running processes by their names. */
  readonly processes: ReadonlyMap<string, AppProcess>;
  /** Starts a process that replaces an ended one. */
  start(name: string): Promise<AppProcess>;
  /** Stops the proxy and all processes. */
  close(): Promise<void>;
}

/** Starts the app in two processes, A and B, behind a proxy on the port. */
export async function startCluster(port: number, env: NodeJS.ProcessEnv, events: ClusterEvents): Promise<Cluster> {
  const processes = new Map<string, AppProcess>();
  const byName = () => [...processes.values()].sort((left, right) => left.name.localeCompare(right.name));
  const proxy = createProxy(byName, events.forwarded);
  proxy.listen(port, "127.0.0.1");
  await once(proxy, "listening");

  let closed = false;

  async function start(name: string): Promise<AppProcess> {
    const started = await startProcess(name, env, events);
    processes.set(name, started);
    void started.ended.then(() => processes.get(name) === started && processes.delete(name));
    if (closed) await started.stop();
    return started;
  }
  async function close(): Promise<void> {
    closed = true;
    proxy.close();
    proxy.closeAllConnections();
    await Promise.all(byName().map((process) => process.stop()));
  }

  const started = await Promise.allSettled([start("A"), start("B")]);
  for (const outcome of started) {
    if (outcome.status === "fulfilled") continue;
    await close();
    throw outcome.reason;
  }
  return { url: `http://localhost:${(proxy.address() as AddressInfo).port}`, processes, start, close };
}

const stopMilliseconds = 10_000;

async function startProcess(name: string, env: NodeJS.ProcessEnv, events: ClusterEvents): Promise<AppProcess> {
  const child = fork(join(import.meta.dirname, "server.ts"), {
    env: { ...env, NAME: name, PORT: "0" },
    // The IPC channel tells the process when its parent has ended, for any reason.
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  let isStopping = false;
  const ended = once(child, "exit").then(([code]) => isStopping || code === 0);
  const lines = createInterface({ input: child.stdout as Readable });
  const url = await Promise.race([
    once(lines, "line").then(([line]) => String(line)),
    ended.then(() => Promise.reject(new Error(`Process ${name} ended while it started. Its errors are above.`))),
  ]);
  lines.on("line", (line) => events.printed(name, line));

  async function end(signal: NodeJS.Signals): Promise<void> {
    isStopping = true;
    child.kill(signal);
    const killTimer = setTimeout(() => child.kill("SIGKILL"), stopMilliseconds);
    await ended;
    clearTimeout(killTimer);
  }

  return {
    name,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    ended,
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}
