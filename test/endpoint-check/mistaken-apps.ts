import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createDoorcode, type Doorcode } from "@doorcode/core";
import * as onExpress from "@doorcode/express";
import * as onFastify from "@doorcode/fastify";
import express, { type Express } from "express";
import fastify, { type FastifyInstance } from "fastify";
import { onTestFinished } from "vitest";

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
  return `http://${await listen(createServer(listener))}/webhooks`;
}

/** Serves a listener over https as localhost. */
export async function serveTls(identity: { cert: string; key: string }, listener: RequestListener): Promise<string> {
  const address = await listen(createTlsServer(identity, listener));
  return `https://localhost:${address.split(":")[1]}/webhooks`;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The same mistake on each framework. */
export interface Mistake {
  readonly code: string;
  readonly express: (app: Express) => void;
  readonly fastify: (app: FastifyInstance) => void;
}

const kit = () => createKit();

/** Mistakes of an app, and the code of the finding that names each. */
export const mistakes: Readonly<Record<string, Mistake>> = {
  "the endpoint redirects to another path": {
    code: "redirect",
    express: (app) => void app.use((req, res) => res.redirect(308, `/v2${req.path}`)),
    fastify: (app) => void app.addHook("onRequest", async (request, reply) => reply.redirect(`/v2${request.url}`, 308)),
  },
  "a login stands in front of it": {
    code: "authentication",
    express: (app) => void app.use((_req, res) => res.redirect("/login?next=/webhooks")),
    fastify: (app) => void app.addHook("onRequest", async (_request, reply) => reply.redirect("/login?next=/webhooks")),
  },
  "basic authentication stands in front of it": {
    code: "authentication",
    express: (app) => void app.use((_req, res) => void res.set("www-authenticate", "Basic").status(401).end()),
    fastify: (app) =>
      void app.addHook("onRequest", async (_request, reply) =>
        reply.header("www-authenticate", "Basic").code(401).send(),
      ),
  },
  "a check of CSRF tokens refuses it": {
    code: "authentication",
    express: (app) => void app.use((_req, res) => void res.status(403).json({ error: "invalid csrf token" })),
    fastify: (app) =>
      void app.addHook("onRequest", async (_request, reply) => reply.code(403).send({ error: "invalid csrf token" })),
  },
  "the app has another secret": {
    code: "wrong_secret",
    express: (app) => void app.use("/webhooks", onExpress.webhooks(createKit([], "another_secret"))),
    fastify: (app) => void app.register(onFastify.webhooks(createKit([], "another_secret")), { prefix: "/webhooks" }),
  },
  "nothing is mounted at the path": {
    code: "no_endpoint",
    express: (app) => void app.use("/hooks", onExpress.webhooks(kit())),
    fastify: (app) => void app.register(onFastify.webhooks(kit()), { prefix: "/hooks" }),
  },
  "only another method is accepted": {
    code: "wrong_method",
    express: (app) =>
      void app
        .route("/webhooks")
        .get((_req, res) => void res.send("ok"))
        .all((_req, res) => void res.set("allow", "GET").sendStatus(405)),
    fastify: (app) => {
      app.get("/webhooks", async () => "ok");
      app.post("/webhooks", async (_request, reply) => reply.header("allow", "GET").code(405).send());
    },
  },
  "a page answers every path": {
    code: "web_page",
    express: (app) => void app.use((_req, res) => void res.send("<!doctype html><title>App</title>")),
    fastify: (app) =>
      void app.setNotFoundHandler((_request, reply) => void reply.code(200).type("text/html").send("<!doctype html>")),
  },
  "the app behind a proxy is down": {
    code: "app_unreachable",
    express: (app) => void app.use((_req, res) => void res.status(502).send("Bad Gateway")),
    fastify: (app) => void app.addHook("onRequest", async (_request, reply) => reply.code(502).send("Bad Gateway")),
  },
  "middleware fails": {
    code: "unexpected_answer",
    express: (app) => void app.use((_req, res) => void res.sendStatus(500)),
    fastify: (app) => void app.addHook("onRequest", async () => Promise.reject(new Error("broken"))),
  },
  "it accepts whatever is sent": {
    code: "wrong_signature_accepted",
    express: (app) => void app.post("/webhooks", express.json(), (_req, res) => void res.sendStatus(204)),
    fastify: (app) => void app.post("/webhooks", async (_request, reply) => reply.code(204).send()),
  },
  "it accepts old deliveries": {
    code: "old_timestamp_accepted",
    express: (app) => void app.use("/webhooks", onExpress.webhooks(createLenientKit())),
    fastify: (app) => void app.register(onFastify.webhooks(createLenientKit()), { prefix: "/webhooks" }),
  },
};

function createLenientKit(): Doorcode {
  return createDoorcode({ webhooks: { secret, toleranceSeconds: 3600 } });
}
