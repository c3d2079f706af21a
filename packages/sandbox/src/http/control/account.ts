import { Hono } from "hono";
import { z } from "zod";
import { numberShape, senderShape } from "../../portal/account.ts";
import { findApplication } from "../../portal/applications.ts";
import { parseConfiguration } from "../../portal/configuration.ts";
import { accountId } from "../../state/account.ts";
import type { AppParts } from "../app-parts.ts";
import { readControl } from "../read-json.ts";
import { describeApplication } from "./describe-application.ts";

const named = z.strictObject({ name: senderShape });

/** The part of the control API that is the account's. */
export function createAccountControl({ account, service, create }: AppParts): Hono {
  return new Hono()
    .get("/account", (c) => c.json(account.get()))
    .get("/account/mails", (c) => c.json({ mails: account.mails() }))
    .post("/account/senders", async (c) => {
      account.registerSender((await readControl(c, named)).name);
      return c.json(account.get().senders, 201);
    })
    .delete("/account/senders/:name", (c) => {
      account.removeSender(c.req.param("name"));
      return c.body(null, 204);
    })
    .post("/account/numbers", async (c) => {
      account.rentNumber(await readControl(c, numberShape));
      return c.json(account.get().numbers, 201);
    })
    .delete("/account/numbers/:phone", (c) => {
      account.releaseNumber(c.req.param("phone"));
      return c.body(null, 204);
    })
    .get("/applications", (c) =>
      c.json({ applications: service.state.applications.list(accountId).map(describeApplication) }),
    )
    .post("/applications", async (c) => {
      const configuration = parseConfiguration("createApplication", await readControl(c));
      const application = findApplication(service, create(configuration));
      // The one time that the signing secret is shown.
      return c.json({ ...describeApplication(application), signingSecret: application.signingSecret }, 201);
    });
}
