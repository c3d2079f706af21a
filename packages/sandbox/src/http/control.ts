import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { z } from "zod";
import { createInbox } from "../inbox.ts";
import { Refusal } from "../refusal.ts";
import { SandboxError } from "../sandbox-error.ts";
import { eventNames } from "../state/application.ts";
import { deliveriesOf } from "../state/state.ts";
import { isLoopbackUrl } from "../webhook/loopback.ts";
import type { AppParts } from "./app-parts.ts";
import { readJson } from "./read-json.ts";
import { streamChanges } from "./stream-changes.ts";

const endpointShape = z.object({
  url: z.string().refine(isLoopbackUrl, "Must be an http or https URL on this machine."),
  events: z
    .array(z.enum(eventNames))
    .min(1)
    .default([...eventNames]),
});

const waitShape = z.object({
  to: z.string().min(1),
  after: z.string().optional(),
  timeout: z.coerce.number().min(0).max(300).default(30),
});

/** The control API, for tests and tools in any language: what `Sandbox` offers in process, for the default application. */
export function createControl({ service, application, reset, closed }: AppParts): Hono {
  const { state, settings } = service;
  const { id } = application();
  const inbox = createInbox(state, id, closed);

  return new Hono()
    .get("/inbox", (c) => c.json({ messages: inbox.list({ to: c.req.query("to") }) }))
    .get("/inbox/wait", async (c) => {
      const { to, after, timeout } = parseQuery(c.req.query());
      const wait = inbox.wait({ to, after, timeoutSeconds: timeout, signal: c.req.raw.signal });
      return c.json(await wait.catch(refuseWait));
    })
    .get("/deliveries", (c) => c.json({ deliveries: deliveriesOf(state, id) }))
    .post("/endpoints", async (c) => {
      const endpoint = await readJson(c, endpointShape, settings.bodyLimitBytes);
      state.applications.change(id, (changing) => {
        const others = changing.endpoints.filter(({ url }) => url !== endpoint.url);
        return { ...changing, endpoints: [...others, endpoint] };
      });
      return c.json(endpoint, 201);
    })
    .post("/reset", (c) => {
      reset();
      return c.body(null, 204);
    })
    .get("/changes", (c) => streamSSE(c, (stream) => streamChanges(stream, state, closed)));
}

function parseQuery(query: Record<string, string>): z.infer<typeof waitShape> {
  const parsed = waitShape.safeParse(query);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Refusal("request.invalid", issue?.message ?? "Invalid input.", issue?.path.join("."));
}

function refuseWait(error: unknown): never {
  if (!(error instanceof SandboxError)) throw error;
  if (error.code === "message_unknown") throw new Refusal("inbox.message_unknown", error.message, "after");
  throw new Refusal("inbox.message_missing", "No message came in time.");
}
