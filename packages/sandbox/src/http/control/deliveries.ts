import { Hono } from "hono";
import { z } from "zod";
import { parse } from "../../misuse.ts";
import { eventNames } from "../../state/application.ts";
import { phoneShape } from "../../wire/phone.ts";
import { readControl } from "../read-json.ts";
import type { Find } from "./find.ts";
import { waitQuery } from "./wait-query.ts";

const wanted = z.object({
  event: z.enum(eventNames).optional(),
  to: phoneShape.optional(),
  told: z.string().optional(),
  status: z.literal(["pending", "delivered", "failed"]).optional(),
  timeout: waitQuery,
});
const events = z.array(z.enum(eventNames));
const endpoint = z.strictObject({ url: z.string(), events: events.optional() });
const choice = z.strictObject({ events });

/** The webhook endpoints and the deliveries of an application, over HTTP. */
export function createDeliveriesControl(find: Find): Hono {
  return new Hono()
    .get("/endpoints", (c) => c.json({ endpoints: find(c).endpoints.list() }))
    .post("/endpoints", async (c) => {
      const { url, events } = await readControl(c, endpoint);
      return c.json(find(c).endpoints.add({ target: url, events }), 201);
    })
    .patch("/endpoints/:endpoint", async (c) => {
      find(c).endpoints.chooseEvents(c.req.param("endpoint"), (await readControl(c, choice)).events);
      return c.body(null, 204);
    })
    .delete("/endpoints/:endpoint", (c) => {
      find(c).endpoints.remove(c.req.param("endpoint"));
      return c.body(null, 204);
    })
    .post("/endpoints/:endpoint/enable", (c) => {
      find(c).endpoints.enable(c.req.param("endpoint"));
      return c.body(null, 204);
    })
    .get("/deliveries", (c) => c.json({ deliveries: find(c).deliveries.list() }))
    .get("/deliveries/wait", async (c) => {
      const { timeout, ...what } = parse("wait", wanted, c.req.query());
      const { signal } = c.req.raw;
      return c.json(await find(c).deliveries.wait({ ...what, timeoutSeconds: timeout, signal }));
    })
    .post("/deliveries/replay_failed", async (c) => c.json({ deliveries: await find(c).deliveries.replayFailed() }))
    .post("/deliveries/:delivery/send_again", async (c) =>
      c.json(await find(c).deliveries.sendAgain(c.req.param("delivery"))),
    );
}
