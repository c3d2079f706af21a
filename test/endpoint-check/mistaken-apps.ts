import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createDoorcode, type Doorcode } from "@doorcode/core";
import * as onExpress from "@doorcode/express";
import express, { type Express } from "express";
import fastify, { type FastifyInstance } from "fastify";
import { onTestFinished } from "vitest";
import { listen } from "../support/listen.ts";

export const secret = "whsec_of_the_check";

/** A kit whose handlers must not run. */
export function createKit(handled: unknown[] = [], webhookSecret: string = secret): Doorcode {
  const note = (event: unknown) => void handled.push(event);
  const on = { "message.status.update": note, "verification.update": note, unknown: note };
  return createDoorcode({ webhooks: { secret: webhookSecret, on } });
}

/** Serves an Express app, and returns the URL of its endpoint. */
export async function serveExpress(build: (app: Express) => void): Promise<string> {
  const app = express();
  build(app);
  return serve(app);
}

/** Serves a Fastify app, and returns the URL of its endpoint. */
export async function serveFastify(build: (app: FastifyInstance) => void): Promise<string> {
  const app = fastify();
  build(app);
  onTestFinished(() => app.close());
  return `${await app.listen({ port: 0, host: "127.0.0.1" })}/webhooks`;
}

/** Serves a listener over http. */
export async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await portOf(createServer(listener))}/webhooks`;
}

/** Serves a listener over https as localhost. */
export async function serveTls(identity: { cert: string; key: string }, listener: RequestListener): Promise<string> {
  return `https://localhost:${await portOf(createTlsServer(identity, listener))}/webhooks`;
}

async function portOf(server: Server): Promise<number> {
  const { port, close } = await listen(server);
  onTestFinished(close);
  return port;
}

/** A mistake of an app: the check sees the answers alone, so one framework shows it. */
export interface Mistake {
  /** The code of the finding that names the mistake. */
  readonly code: string;
  readonly make: (app: Express) => void;
}

const refuseAll = (status: number, body: unknown) => (app: Express) =>
  void app.use((_req, res) => void res.status(status).send(body));

/** Mistakes of an app, by what is wrong. */
export const mistakes: Readonly<Record<string, Mistake>> = {
  "the endpoint redirects to another path": {
    code: "redirect",
    make: (app) => void app.use((req, res) => res.redirect(308, `/v2${req.path}`)),
  },
  "a login stands in front of it": {
    code: "authentication",
    make: (app) => void app.use((_req, res) => res.redirect("/login?next=/webhooks")),
  },
  "basic authentication stands in front of it": {
    code: "authentication",
    make: (app) => void app.use((_req, res) => void res.set("www-authenticate", "Basic").status(401).end()),
  },
  "a rate limiter refuses it": { code: "rate_limited", make: refuseAll(429, "Too many requests") },
  "a check of CSRF tokens refuses it": {
    code: "authentication",
    make: refuseAll(403, { error: "invalid csrf token" }),
  },
  "the app has another secret": {
    code: "wrong_secret",
    make: (app) => void app.use("/webhooks", onExpress.webhooks(createKit([], "another_secret"))),
  },
  "nothing is mounted at the path": {
    code: "no_endpoint",
    make: (app) => void app.use("/hooks", onExpress.webhooks(createKit())),
  },
  "only another method is accepted": {
    code: "wrong_method",
    make: (app) => void app.post("/webhooks", (_req, res) => void res.set("allow", "GET").sendStatus(405)),
  },
  "a page answers every path": { code: "web_page", make: refuseAll(200, "<!doctype html><title>App</title>") },
  "the app behind a proxy is down": { code: "app_unreachable", make: refuseAll(502, "Bad Gateway") },
  "middleware fails": { code: "unexpected_answer", make: refuseAll(500, "broken") },
  "it accepts whatever is sent": {
    code: "wrong_signature_accepted",
    make: (app) => void app.post("/webhooks", express.json(), (_req, res) => void res.sendStatus(204)),
  },
  "it accepts old deliveries": {
    code: "old_timestamp_accepted",
    make(app) {
      const lenient = createDoorcode({ webhooks: { secret, toleranceSeconds: 3600 } });
      app.use("/webhooks", onExpress.webhooks(lenient));
    },
  },
};
