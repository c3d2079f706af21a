import { Hono } from "hono";
import { z } from "zod";
import { applicationOf, readJson, timeoutSeconds } from "../http/read-request.ts";
import { parse } from "../primitives/errors.ts";
import { phoneShape } from "../primitives/phone-number.ts";
import { replayFailed, sendAgain, waitForDelivery } from "../sandbox/deliveries.ts";
import {
  addEndpoint,
  checkRegistered,
  enableEndpoint,
  removeEndpoint,
  setEndpointEvents,
} from "../sandbox/endpoints.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";
import { eventNames } from "../state/application.ts";

const waitShape = z.object({
  event: z.enum(eventNames).optional(),
  to: phoneShape.optional(),
  eventStatus: z.string().optional(),
  status: z.literal(["pending", "delivered", "failed"]).optional(),
});
const endpointBody = z.strictObject({ url: z.string(), events: z.unknown().optional() });
const eventsBody = z.strictObject({ events: z.unknown().optional() });

/** Creates the routes of an application's webhook endpoints and deliveries. */
export function createWebhookRoutes(deps: SandboxDeps): Hono {
  return new Hono()
    .get("/endpoints", (c) => c.json({ endpoints: applicationOf(deps, c).endpoints }))
    .post("/endpoints", async (c) => {
      const { url, events } = parse("endpoints", endpointBody, await readJson(c));
      return c.json(addEndpoint(deps, applicationOf(deps, c).id, { target: url, events }), 201);
    })
    .patch("/endpoints/:endpoint", async (c) => {
      const { events } = parse("endpoints", eventsBody, await readJson(c));
      setEndpointEvents(deps, applicationOf(deps, c).id, c.req.param("endpoint"), events);
      return c.body(null, 204);
    })
    .delete("/endpoints/:endpoint", (c) => {
      removeEndpoint(deps, applicationOf(deps, c).id, c.req.param("endpoint"));
      return c.body(null, 204);
    })
    .post("/endpoints/:endpoint/enable", (c) => {
      enableEndpoint(deps, applicationOf(deps, c).id, c.req.param("endpoint"));
      return c.body(null, 204);
    })
    .post("/endpoints/:endpoint/check", async (c) => {
      const findings = await checkRegistered(deps, applicationOf(deps, c).id, c.req.param("endpoint"));
      return c.json({ findings });
    })
    .get("/deliveries", (c) => c.json({ deliveries: deps.state.deliveries.list(applicationOf(deps, c).id) }))
    .get("/deliveries/wait", async (c) => {
      const options = parse("wait", waitShape, c.req.query());
      const wait = { ...options, timeoutSeconds: timeoutSeconds(c), signal: c.req.raw.signal };
      return c.json(await waitForDelivery(deps, applicationOf(deps, c).id, wait));
    })
    .post("/deliveries/replay_failed", async (c) =>
      c.json({ deliveries: await replayFailed(deps, applicationOf(deps, c).id) }),
    )
    .post("/deliveries/:delivery/send_again", async (c) => {
      const { id } = applicationOf(deps, c);
      // Without a body nothing is changed.
      const changes = c.req.header("content-type") === undefined ? undefined : await readJson(c);
      return c.json(await sendAgain(deps, id, c.req.param("delivery"), changes));
    });
}
