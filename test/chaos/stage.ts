import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox, type Sandbox, type SandboxApplication } from "@doorcode/sandbox";
import { findFreePort } from "../support/free-port.ts";
import { type App, startApp } from "./app.ts";
import type { AppSettings } from "./app-process.ts";
import { createDice } from "./dice.ts";
import { createPeople, type People } from "./people.ts";
import { type ChaosPlan, type ChaosSize, createPlan, processes } from "./plan.ts";
import type { ChaosStore } from "./store.ts";
import { layWire, type Wire } from "./wire.ts";

/** What a run is made of. */
export interface ChaosOptions {
  readonly seed: number;
  readonly size: ChaosSize;
  /** Whether events are kept in an inbox before they are acknowledged; else handlers run before the answer. */
  readonly durable: boolean;
  readonly startStore: () => Promise<ChaosStore>;
}

/** Everything that takes part in a run. */
export interface Stage {
  readonly plan: ChaosPlan;
  /** The service, and its application of the messages. */
  readonly sandbox: Sandbox;
  /** Its application of the logins. */
  readonly loginApplication: SandboxApplication;
  readonly store: ChaosStore;
  readonly apps: readonly App[];
  readonly wire: Wire;
  readonly people: People;
  /** The folder in which the processes write down what they did. */
  readonly ledgers: string;
  close(): Promise<void>;
}

/** The service's half hour between attempts passes in seconds; its time limits and timestamps do not. */
const clockScale = 240;

/** Sets the stage: processes of the app on both frameworks, before one store and one service. */
export async function setStage({ seed, size, durable, startStore }: ChaosOptions): Promise<Stage> {
  const dice = createDice(seed);
  const plan = createPlan(dice, size);
  const ledgers = mkdtempSync(join(tmpdir(), "doorcode-chaos-"));
  const sandbox = await createSandbox({ port: 0, clock: { scale: clockScale } });
  const loginApplication = sandbox.createApplication();
  // People take their time: a code must not expire while they wait for the app to come back.
  loginApplication.clock.set("real");
  const store = await startStore();
  const ports = await Promise.all(Array.from({ length: processes }, findFreePort));
  const shared = {
    ...{ place: store.place, durable, ledgers, seed },
    webhookSecrets: [sandbox.env.WEBHOOK_SECRET, loginApplication.env.WEBHOOK_SECRET],
    messageService: serviceOf(sandbox),
    loginService: serviceOf(loginApplication),
  };
  const start = (port: number, index: number) =>
    startApp({ ...shared, index, port, framework: index % 2 === 0 ? "express" : "fastify" });
  const apps = await Promise.all(ports.map(start));
  const connect = (application: SandboxApplication) => {
    const wire = layWire(ports, dice);
    application.deliverTo(wire.deliver);
    for (const fault of plan.faults) application.faults.add(fault);
    return wire;
  };
  const [wire, loginWire] = [connect(sandbox), connect(loginApplication)];

  return {
    ...{ plan, sandbox, loginApplication, store, apps, wire, ledgers },
    people: createPeople({
      application: loginApplication,
      urls: apps.map(({ url }) => url),
      groupSize: size.loginsAtOnce,
    }),
    async close() {
      await Promise.all(apps.map((app) => app.kill()));
      await Promise.all([sandbox.close(), store.close()]);
      for (const { close } of [wire, loginWire]) close();
      rmSync(ledgers, { recursive: true });
    },
  };
}

function serviceOf({ env }: SandboxApplication): AppSettings["loginService"] {
  return { baseUrl: env.SERVICE_URL, apiKey: env.SERVICE_API_KEY };
}
