import { fork } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createProxy, type PassedOn, type Target } from "./proxy.ts";

/** A process of the app. */
export interface AppProcess extends Target {
  readonly pid: number;
  /** Resolves when it has ended: true when it was told to, or did so in order. */
  readonly ended: Promise<boolean>;
  /** Ends it without a word. */
  kill(): Promise<void>;
  /** Ends it when it has finished what it does. */
  stop(): Promise<void>;
}

/** What happens while the cluster runs. */
export interface ClusterEvents {
  /** A request was answered. */
  readonly passedOn: (passedOn: PassedOn) => void;
  /** A process printed a line. */
  readonly said: (name: string, line: string) => void;
}

/** The processes of the app, and the proxy in front of them. */
export interface Cluster {
  readonly url: string;
  /** Those that run, by their names. */
  readonly processes: ReadonlyMap<string, AppProcess>;
  /** Starts a process in place of one that ended. */
  start(name: string): Promise<AppProcess>;
  close(): Promise<void>;
}

/** Starts the app in two processes, A and B, behind a proxy on the port. */
export async function startCluster(port: number, env: NodeJS.ProcessEnv, events: ClusterEvents): Promise<Cluster> {
  const processes = new Map<string, AppProcess>();
  const byName = () => [...processes.values()].sort((left, right) => left.name.localeCompare(right.name));
  const proxy = createProxy(byName, events.passedOn);
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
    // The channel tells the process when whoever started it is gone, however that came.
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  let meant = false;
  const ended = once(child, "exit").then(([code]) => meant || code === 0);
  const lines = createInterface({ input: child.stdout as Readable });
  const url = await Promise.race([
    once(lines, "line").then(([line]) => String(line)),
    ended.then(() => Promise.reject(new Error(`Process ${name} ended at its start; why stands above.`))),
  ]);
  lines.on("line", (line) => events.said(name, line));

  async function end(signal: NodeJS.Signals): Promise<void> {
    meant = true;
    child.kill(signal);
    const lastWord = setTimeout(() => child.kill("SIGKILL"), stopMilliseconds);
    await ended;
    clearTimeout(lastWord);
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
