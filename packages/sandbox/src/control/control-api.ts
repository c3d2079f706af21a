import { Hono } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { readJson } from "../http/read-request.ts";
import { listMails, registerSender, releaseNumber, removeSender, rentNumber } from "../sandbox/account.ts";
import { createApplication, listApplications } from "../sandbox/applications.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";
import { accountOf } from "../service/service.ts";
import type { State } from "../state/state.ts";
import {
  createApplicationRoutes,
  createClockRoutes,
  createDecisionRoutes,
  createFaultRoutes,
  createInboxRoutes,
  publicApplication,
} from "./application-routes.ts";
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

const pauseMilliseconds = 100;

/** Sends an event to the page when something has changed: at once, and then at most once in 100 ms. */
async function streamChanges(stream: SSEStreamingApi, state: State, closed: AbortSignal): Promise<void> {
  let change = Promise.withResolvers<void>();
  const wakeUp = () => change.resolve();
  const stop = state.watch(wakeUp);
  stream.onAbort(wakeUp);
  closed.addEventListener("abort", wakeUp, { once: true });

  try {
    while (!stream.aborted && !closed.aborted) {
      change = Promise.withResolvers();
      await stream.writeSSE({ data: "changed" });
      await stream.sleep(pauseMilliseconds);
      await change.promise;
    }
  } finally {
    stop();
    closed.removeEventListener("abort", wakeUp);
  }
}

/** Creates the routes of the account: sender IDs, rented numbers, mails, and the list of applications. */
function createAccountRoutes(deps: SandboxDeps): Hono {
  return new Hono()
    .get("/account", (c) => c.json(accountOf(deps)))
    .get("/account/mails", (c) => c.json({ mails: listMails(deps) }))
    .post("/account/senders", async (c) => {
      registerSender(deps, await readJson(c));
      return c.json(accountOf(deps).senders, 201);
    })
    .delete("/account/senders/:name", (c) => {
      removeSender(deps, c.req.param("name"));
      return c.body(null, 204);
    })
    .post("/account/numbers", async (c) => {
      rentNumber(deps, await readJson(c));
      return c.json(accountOf(deps).numbers, 201);
    })
    .delete("/account/numbers/:phone", (c) => {
      releaseNumber(deps, c.req.param("phone"));
      return c.body(null, 204);
    })
    .get("/applications", (c) => c.json({ applications: listApplications(deps).map(publicApplication) }))
    .post("/applications", async (c) => {
      const application = createApplication(deps, await readJson(c));
      // Only this answer contains the signing secret.
      return c.json({ ...publicApplication(application), signingSecret: application.signingSecret }, 201);
    });
}
