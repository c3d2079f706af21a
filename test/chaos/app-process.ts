import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import {
  createDoorcode,
  type DoorcodeEvent,
  type DoorcodeOptions,
  type Reconciliation,
  serviceCodes,
  type WebhookEvent,
  type WebhookHandler,
} from "@doorcode/core";
import type { ServiceOptions } from "@doorcode/core/service";
import * as onExpress from "@doorcode/express";
import * as onFastify from "@doorcode/fastify";
import express from "express";
import fastify from "fastify";
import { type EffectScope, openEngine, type Place } from "../inbox/open-engine.ts";
import { looseLimits } from "../support/loose-limits.ts";
import { openProcessLog } from "./process-log.ts";
import { createSeededRandom } from "./seeded-random.ts";

/** The settings of a process of the app: its argument, as JSON. */
export interface AppSettings {
  readonly index: number;
  readonly port: number;
  readonly framework: "express" | "fastify";
  readonly place: Place;
  /** Keeps events in an inbox before they are acknowledged; otherwise handlers run before the answer. */
  readonly durable: boolean;
  /** The folder of the logs. */
  readonly logs: string;
  readonly seed: number;
  readonly webhookSecrets: readonly string[];
  /** The application of the service that sends the codes of logins. */
  readonly loginService: ServiceOptions;
  /** The application of the service that sends all other messages. */
  readonly messageService: ServiceOptions;
}

/** A message from the process to the test. */
export type AppNote = { readonly type: "up" } | { readonly type: "reconciled"; readonly found: Reconciliation };

/** A message from the test to the process. */
export interface AppOrder {
  readonly reconcileSince: string;
}

/** The time between the effect of a handler and the mark of its event. */
const markPauseMilliseconds = 200;
/** The share of events whose handler throws, once in each process. */
const failingShare = 0.002;

const settings: AppSettings = JSON.parse(process.argv[2] ?? "{}");
const random = createSeededRandom(settings.seed);
const write = openProcessLog(settings.logs, settings.index);
const engine = openEngine(settings.place, { bull: { takeOverSeconds: 3 }, postgres: { onError: () => undefined } });
const failed = new Set<string>();

const handle: WebhookHandler<WebhookEvent, EffectScope> = async (event, context) => {
  const { recipient, channel, channel_status, status, message_id, verification_id } = event.data;
  const told = channel_status === undefined ? String(status) : `${channel} ${channel_status}`;
  const fails = random.fraction("fails", String(recipient), told) < failingShare && !failed.has(event.key);
  failed.add(event.key);
  if (fails) throw new Error("A handler of the chaos test throws.");
  const entity = String(event.kind === "message.status.update" ? message_id : verification_id);
  write({ type: "run", key: event.key, entity, instant: String(event.occurredAt), told });
  if (context.client || context.write) await engine.effect(event, context);
  // A kill in this time leaves the effect without its mark.
  else await pause(markPauseMilliseconds);
};

/** Not logged: the handlers and the service record the same. */
const unlogged: readonly string[] = ["webhook.persisted", "login.code_sent"];

function publish(event: DoorcodeEvent): void {
  if (unlogged.includes(event.type)) return;
  write({ type: "published", event: event.type, ...("key" in event && { key: event.key }) });
}

const common: DoorcodeOptions<undefined, EffectScope> = {
  store: engine.store,
  onEvent: publish,
  webhooks: {
    secret: settings.webhookSecrets,
    ...(settings.durable && { inbox: engine.inbox }),
    ...(engine.transactions && { transactions: engine.transactions }),
    retrySeconds: 0.1,
    on: { "message.status.update": handle, "verification.update": handle },
  },
};
const doorcode = createDoorcode({
  ...common,
  service: settings.loginService,
  session: { password: "a password of the chaos test, long enough" },
  login: {
    countries: ["DE"],
    codes: serviceCodes({ template: "login" }),
    limits: looseLimits,
    onLogin({ phone, loginId }) {
      write({ type: "login", loginId, phone });
      return `user of ${phone}`;
    },
  },
});
/** The same app, for the other application of the service. */
const sender = createDoorcode({ ...common, service: settings.messageService });

function tell(note: AppNote): void {
  process.send?.(note);
}

async function serveExpress(): Promise<void> {
  const app = express();
  app.use("/webhooks", onExpress.webhooks(doorcode));
  app.use("/login", onExpress.phoneLogin(doorcode));
  app.get("/account", onExpress.requireLogin(doorcode), (request, response) => {
    response.json({ id: request.doorcode.userId });
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(settings.port, "127.0.0.1", resolve));
}

async function serveFastify(): Promise<void> {
  const app = fastify();
  await app.register(onFastify.webhooks(doorcode), { prefix: "/webhooks" });
  await app.register(onFastify.phoneLogin(doorcode), { prefix: "/login" });
  app.get("/account", { preHandler: onFastify.requireLogin(doorcode) }, async ({ doorcode: { userId } }) => ({
    id: userId,
  }));
  await app.listen({ port: settings.port, host: "127.0.0.1" });
}

process.on("message", async ({ reconcileSince }: AppOrder) => {
  tell({ type: "reconciled", found: await sender.messages.reconcile({ since: new Date(reconcileSince) }) });
});
process.on("disconnect", () => process.exit());
await (settings.framework === "express" ? serveExpress() : serveFastify());
if (settings.durable) await doorcode.work({ concurrency: 50 });
tell({ type: "up" });
