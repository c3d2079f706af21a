import { Hono } from "hono";
import { z } from "zod";
import { parse } from "../../misuse.ts";
import { phoneShape } from "../../wire/phone.ts";
import type { Find } from "./find.ts";
import { waitQuery } from "./wait-query.ts";

const filter = z.object({ to: phoneShape.optional() });
const wanted = z.object({ to: phoneShape, after: z.string().optional(), timeout: waitQuery });

/** The inbox and the verifications of an application, over HTTP. */
export function createInboxControl(find: Find): Hono {
  return new Hono()
    .get("/inbox", (c) => c.json({ messages: find(c).inbox.list(parse("inbox", filter, c.req.query())) }))
    .delete("/inbox", (c) => {
      find(c).inbox.clear(parse("inbox", filter, c.req.query()));
      return c.body(null, 204);
    })
    .get("/inbox/wait", async (c) => {
      const { to, after, timeout } = parse("wait", wanted, c.req.query());
      const { signal } = c.req.raw;
      return c.json(await find(c).inbox.wait({ to, after, timeoutSeconds: timeout, signal }));
    })
    .delete("/inbox/:message", (c) => {
      find(c).inbox.remove(c.req.param("message"));
      return c.body(null, 204);
    })
    .get("/verifications", (c) => c.json({ verifications: find(c).verifications.list() }));
}
