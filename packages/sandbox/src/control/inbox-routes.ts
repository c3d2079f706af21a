import { Hono } from "hono";
import { z } from "zod";
import { applicationOf, timeoutSeconds } from "../http/request-params.ts";
import { phoneShape } from "../primitives/phone-number.ts";
import { parse } from "../primitives/usage-error.ts";
import { clearInbox, listInbox, removeMessage, waitForMessage } from "../sandbox/inbox.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";

const filterShape = z.object({ to: phoneShape.optional() });

/** Creates the routes of an application's inbox and verifications. */
export function createInboxRoutes(deps: SandboxDeps): Hono {
  return new Hono()
    .get("/inbox", (c) => {
      const filter = parse("inbox", filterShape, c.req.query());
      return c.json({ messages: listInbox(deps, applicationOf(deps, c).id, filter) });
    })
    .delete("/inbox", (c) => {
      clearInbox(deps, applicationOf(deps, c).id, parse("inbox", filterShape, c.req.query()));
      return c.body(null, 204);
    })
    .get("/inbox/wait", async (c) => {
      const { to = "", after } = c.req.query();
      const options = { to, after, timeoutSeconds: timeoutSeconds(c), signal: c.req.raw.signal };
      return c.json(await waitForMessage(deps, applicationOf(deps, c).id, options));
    })
    .delete("/inbox/:message", (c) => {
      removeMessage(deps, applicationOf(deps, c).id, c.req.param("message"));
      return c.body(null, 204);
    })
    .get("/verifications", (c) => c.json({ verifications: deps.state.verifications.list(applicationOf(deps, c).id) }));
}
