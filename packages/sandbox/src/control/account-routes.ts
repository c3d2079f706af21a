import { Hono } from "hono";
import { readJson } from "../http/read-body.ts";
import { createApplication, listApplications } from "../sandbox/application-lifecycle.ts";
import { releaseNumber, rentNumber } from "../sandbox/rented-numbers.ts";
import { listMails } from "../sandbox/sandbox-account.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";
import { registerSender, removeSender } from "../sandbox/senders.ts";
import { accountOf } from "../service/service.ts";
import { publicApplication } from "./application-routes.ts";

/** Creates the routes of the account: sender IDs, rented numbers, mails, and the list of applications. */
export function createAccountRoutes(deps: SandboxDeps): Hono {
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
