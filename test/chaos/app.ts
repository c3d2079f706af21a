import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Reconciliation } from "@doorcode/core";
import type { AppNote, AppOrder, AppSettings } from "./app-process.ts";

/** A process of the app, which can be killed and started again. */
export interface App {
  readonly url: string;
  /** Kills it with `kill -9`. */
  kill(): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
  /** Lets it ask the service for the events that it missed. */
  reconcile(since: Date): Promise<Reconciliation>;
  /** How often it ended by itself after its start: 0, unless something is wrong. */
  readonly ownEnds: number;
}

/** A process that starts while the store is down ends, and is started again. */
const maxTries = 50;

/** Starts a process of the app and waits until it is up. It runs the built packages. */
export async function startApp(settings: AppSettings): Promise<App> {
  let running: ChildProcess | undefined;
  let ownEnds = 0;

  async function launch(): Promise<boolean> {
    const child = fork(join(import.meta.dirname, "app-process.ts"), [JSON.stringify(settings)], {
      execArgv: ["--disable-warning=webhook_secret", "--disable-warning=webhook_failing"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const exited = once(child, "exit").then(() => false);
    const up = await Promise.race([once(child, "message").then(() => true), exited]);
    running = child;
    if (!up) return false;
    void exited.then(() => {
      if (running === child) ownEnds++;
    });
    return true;
  }

  async function start(): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) if (await launch()) return;
    throw new Error("A process of the app does not come up.");
  }

  await start();
  return {
    url: `http://127.0.0.1:${settings.port}`,
    async kill() {
      const ending = running;
      running = undefined;
      if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
      const exited = once(ending, "exit");
      ending.kill("SIGKILL");
      await exited;
    },
    start,
    async reconcile(since) {
      const order: AppOrder = { reconcileSince: since.toISOString() };
      running?.send(order);
      const [note]: AppNote[] = running ? await once(running, "message") : [];
      if (note?.type !== "reconciled") throw new Error("The process of the app did not reconcile.");
      return note.found;
    },
    get ownEnds() {
      return ownEnds;
    },
  };
}
