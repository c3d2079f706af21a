import { createServer, type Server } from "node:http";
import type { Doorcode } from "@doorcode/core";
import * as onExpress from "@doorcode/express";
import * as onFastify from "@doorcode/fastify";
import express from "express";
import fastify from "fastify";
import { listen } from "./listen.ts";

/** An app on a real framework, with the parts of the kit that a test chose. */
export interface ServedApp {
  readonly url: string;
  /** The server below the framework. */
  readonly server: Server;
  close(): Promise<void>;
}

/** The parts of the kit that an app mounts: the login alone when left out. */
export interface MountedParts {
  readonly webhooks?: boolean;
  readonly login?: boolean;
  /**
   * Also `/link`, `/step-up`, `/verify`, `/transfer`, which needs a recent proof, and `/orders`, which needs one or a browser that the
   * step-up has remembered, for a day.
   */
  readonly account?: boolean;
}

/** A framework on which suites run. */
export interface Host {
  readonly name: string;
  serve(doorcode: Doorcode, parts?: MountedParts): Promise<ServedApp>;
}

const proof = { audience: "checkout" };
const stepUp = { purpose: "step_up", rememberSeconds: 86_400 } as const;
const orRemembered = { provenWithinSeconds: 300, orRemembered: true };
const checkout = { page: "/checkout", done: "/checkout" };
const pages = { forms: { page: "/login", done: "/account" } };

async function serveExpress(
  doorcode: Doorcode,
  { login = true, webhooks = false, account = false }: MountedParts = {},
): Promise<ServedApp> {
  const app = express();
  if (webhooks) app.use("/webhooks", onExpress.webhooks(doorcode));
  if (login) {
    app.use("/login", onExpress.phoneLogin(doorcode, pages));
    app.get("/account", onExpress.requireLogin(doorcode), (request, response) => {
      response.json({ id: request.doorcode.userId });
    });
  }
  if (account) {
    app.use("/link", onExpress.phoneLogin(doorcode, { purpose: "link" }));
    app.use("/step-up", onExpress.phoneLogin(doorcode, stepUp));
    app.use("/verify", onExpress.phoneLogin(doorcode, { purpose: "verify", proof, forms: checkout }));
    app.get("/transfer", onExpress.requireLogin(doorcode, { provenWithinSeconds: 300 }), (_request, response) => {
      response.json({});
    });
    app.get("/orders", onExpress.requireLogin(doorcode, orRemembered), (_request, response) => void response.json({}));
  }
  const server = createServer(app);
  const { url, close } = await listen(server);
  return {
    url,
    server,
    async close() {
      await doorcode.close();
      await close();
    },
  };
}

async function serveFastify(
  doorcode: Doorcode,
  { login = true, webhooks = false, account = false }: MountedParts = {},
): Promise<ServedApp> {
  const app = fastify();
  if (webhooks) await app.register(onFastify.webhooks(doorcode), { prefix: "/webhooks" });
  if (login) {
    await app.register(onFastify.phoneLogin(doorcode, pages), { prefix: "/login" });
    app.get("/account", { preHandler: onFastify.requireLogin(doorcode) }, async ({ doorcode: { userId } }) => ({
      id: userId,
    }));
  }
  if (account) {
    await app.register(onFastify.phoneLogin(doorcode, { purpose: "link" }), { prefix: "/link" });
    await app.register(onFastify.phoneLogin(doorcode, stepUp), { prefix: "/step-up" });
    await app.register(onFastify.phoneLogin(doorcode, { purpose: "verify", proof, forms: checkout }), {
      prefix: "/verify",
    });
    const recentProof = onFastify.requireLogin(doorcode, { provenWithinSeconds: 300 });
    app.get("/transfer", { preHandler: recentProof }, async () => ({}));
    app.get("/orders", { preHandler: onFastify.requireLogin(doorcode, orRemembered) }, async () => ({}));
  }
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    url,
    server: app.server,
    async close() {
      await doorcode.close();
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

/** The framework of suites about what only core decides. */
export const host: Host = { name: "Express", serve: serveExpress };

/** Every framework on which suites run. */
export const hosts: readonly Host[] = [host, { name: "Fastify", serve: serveFastify }];
