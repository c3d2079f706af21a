import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";
import { createAccountRoutes } from "./account-routes.ts";
import { createApplicationRoutes } from "./application-routes.ts";
import { createClockRoutes } from "./clock-routes.ts";
import { createDecisionRoutes } from "./decision-routes.ts";
import { createFaultRoutes } from "./fault-routes.ts";
import { createInboxRoutes } from "./inbox-routes.ts";
import { streamChanges } from "./stream-changes.ts";
import { createWebhookRoutes } from "./webhook-routes.ts";

/**
 * Creates the control API: the members of `Sandbox` over HTTP, for tests and tools in any language. The routes of an
 * application are at `/applications/{id}`, and those of the default application also without that prefix.
 */
export function createControlApi(deps: SandboxDeps): Hono {
  const routes = [
    createApplicationRoutes(deps),
    createInboxRoutes(deps),
    createWebhookRoutes(deps),
    createClockRoutes(deps),
    createFaultRoutes(deps),
    createDecisionRoutes(deps),
  ];
  const api = new Hono()
    .get("/changes", (c) => streamSSE(c, (stream) => streamChanges(stream, deps.state, deps.closed)))
    .route("/", createAccountRoutes(deps));
  for (const path of ["/applications/:application", "/"]) for (const each of routes) api.route(path, each);
  return api;
}
