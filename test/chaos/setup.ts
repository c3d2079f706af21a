import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@doorcode/core/store";
import { createSandbox, type Sandbox, type SandboxApplication } from "@doorcode/sandbox";
import { findFreePort } from "../support/free-port.ts";
import { type App, startApp } from "./app.ts";
import type { AppSettings } from "./app-process.ts";
import { createLoadBalancer, type LoadBalancer } from "./load-balancer.ts";
import { type ChaosPlan, type ChaosSize, createPlan, processes } from "./plan.ts";
import { createSeededRandom } from "./seeded-random.ts";
import type { ChaosStore } from "./store.ts";
import { createUserGroups, type UserGroups } from "./user-groups.ts";

/** The options of a run. */
export interface ChaosOptions {
  readonly seed: number;
  readonly size: ChaosSize;
  /** Keeps events in an inbox before they are acknowledged; otherwise handlers run before the answer. */
  readonly durable: boolean;
  readonly startStore: () => Promise<ChaosStore>;
}

/** Everything that takes part in a run. */
export interface ChaosSetup {
  readonly plan: ChaosPlan;
  /** The service, and its application of the messages. */
  readonly sandbox: Sandbox;
  /** The application of the logins. */
  readonly loginApplication: SandboxApplication;
  readonly store: ChaosStore;
  readonly apps: readonly App[];
  /** In front of the processes, for the webhooks of the messages. */
  readonly loadBalancer: LoadBalancer;
  /** When each event first came to an endpoint, of both applications, by its name. */
  readonly arrivals: () => ReadonlyMap<string, number>;
  readonly users: UserGroups;
  /** The folder of the logs that the processes write. */
  readonly logs: string;
  close(): Promise<void>;
}

/** The half hour between two attempts of the service passes in seconds. Its time limits and its timestamps stay real. */
const clockScale = 240;

/** The service's time begins in the past, because the app does not order events that are more than a day ahead of its clock. */
const serviceTime = { ...systemClock, now: () => Date.now() - 30 * 86_400_000 };

/** Starts processes of the app on both frameworks, one store and one service. */
export async function setUpChaos({ seed, size, durable, startStore }: ChaosOptions): Promise<ChaosSetup> {
  const random = createSeededRandom(seed);
  const plan = createPlan(random, size);
  const logs = mkdtempSync(join(tmpdir(), "doorcode-chaos-"));
  // The run is judged by all deliveries, so the sandbox keeps those of every message.
  const sandbox = await createSandbox({ port: 0, clock: serviceTime, maxMessages: Math.max(10_000, plan.events) });
  sandbox.clock.set({ scale: clockScale });
  // Its clock is not faster: a code must not expire while its user waits for the app to come back.
  const loginApplication = sandbox.createApplication();
  const store = await startStore();
  const ports = await Promise.all(Array.from({ length: processes }, findFreePort));
  const shared = {
    ...{ place: store.place, durable, logs, seed },
    webhookSecrets: [sandbox.env.WEBHOOK_SECRET, loginApplication.env.WEBHOOK_SECRET],
    messageService: serviceOf(sandbox),
    loginService: serviceOf(loginApplication),
  };
  const start = (port: number, index: number) =>
    startApp({ ...shared, index, port, framework: index % 2 === 0 ? "express" : "fastify" });
  const apps = await Promise.all(ports.map(start));
  const connect = (application: SandboxApplication) => {
    const loadBalancer = createLoadBalancer(ports, plan, random);
    application.deliverTo(loadBalancer.deliver);
    for (const fault of plan.faults) application.faults.add(fault);
    return loadBalancer;
  };
  const [loadBalancer, ofLogins] = [connect(sandbox), connect(loginApplication)];

  return {
    ...{ plan, sandbox, loginApplication, store, apps, loadBalancer, logs },
    arrivals: () => new Map([...loadBalancer.arrivals, ...ofLogins.arrivals]),
    users: createUserGroups({
      application: loginApplication,
      urls: apps.map(({ url }) => url),
      groupSize: size.usersAtOnce,
    }),
    async close() {
      await Promise.all(apps.map((app) => app.kill()));
      await Promise.all([sandbox.close(), store.close()]);
      for (const { close } of [loadBalancer, ofLogins]) close();
      rmSync(logs, { recursive: true });
    },
  };
}

function serviceOf({ env }: SandboxApplication): AppSettings["loginService"] {
  return { baseUrl: env.SERVICE_URL, apiKey: env.SERVICE_API_KEY };
}
