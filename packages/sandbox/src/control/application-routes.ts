import { type Context, Hono } from "hono";
import { z } from "zod";
import { applicationOf, readJson, timeoutSeconds } from "../http/read-request.ts";
import { createServiceDocument } from "../openapi/service-document.ts";
import { parse } from "../primitives/errors.ts";
import { phoneShape } from "../primitives/phone-number.ts";
import { configureApplication, removeApplication, resetApplication } from "../sandbox/applications.ts";
import { regenerateSigningSecret, revokeApiKey, rotateApiKey } from "../sandbox/credentials.ts";
import { receiveEvents } from "../sandbox/decisions.ts";
import { addFault, removeFault } from "../sandbox/faults.ts";
import { createInbox } from "../sandbox/inbox.ts";
import { advanceClock, setClock } from "../sandbox/sandbox-clock.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";
import { usageOf } from "../sandbox/usage.ts";
import type { Application } from "../state/application.ts";
import { isoInstant } from "../state/record.ts";

/** Creates the routes of an application's configuration, credentials and usage, and of the description of its API. */
export function createApplicationRoutes(deps: SandboxDeps): Hono {
  return new Hono()
    .get("/application", (c) => c.json(publicApplication(applicationOf(deps, c))))
    .patch("/application", async (c) => {
      configureApplication(deps, applicationOf(deps, c).id, await readJson(c));
      return c.json(publicApplication(applicationOf(deps, c)));
    })
    .delete("/application", (c) => {
      removeApplication(deps, applicationOf(deps, c).id);
      return c.body(null, 204);
    })
    .post("/api_key", (c) => c.json({ apiKey: rotateApiKey(deps, applicationOf(deps, c).id) }, 201))
    .delete("/api_key", (c) => {
      revokeApiKey(deps, applicationOf(deps, c).id);
      return c.body(null, 204);
    })
    .post("/signing_secret", (c) =>
      c.json({ signingSecret: regenerateSigningSecret(deps, applicationOf(deps, c).id) }, 201),
    )
    .get("/openapi.json", (c) => c.json(createServiceDocument(applicationOf(deps, c))))
    .get("/usage", (c) => c.json(usageOf(deps, applicationOf(deps, c).id)))
    .post("/reset", (c) => {
      resetApplication(deps, applicationOf(deps, c).id);
      return c.body(null, 204);
    });
}

/** Returns an application without its signing secrets. */
export function publicApplication(application: Application): object {
  const { signingSecret: _, previousSigningSecret: __, ...rest } = application;
  return rest;
}

const filterShape = z.object({ to: phoneShape.optional() });

/** Creates the routes of an application's inbox and verifications. */
export function createInboxRoutes(deps: SandboxDeps): Hono {
  const inboxOf = (c: Context) => createInbox(deps, applicationOf(deps, c).id);
  return new Hono()
    .get("/inbox", (c) => {
      const filter = parse("inbox", filterShape, c.req.query());
      return c.json({ messages: inboxOf(c).list(filter) });
    })
    .delete("/inbox", (c) => {
      const filter = parse("inbox", filterShape, c.req.query());
      inboxOf(c).clear(filter);
      return c.body(null, 204);
    })
    .get("/inbox/wait", async (c) => {
      const { to = "", after } = c.req.query();
      return c.json(await inboxOf(c).wait({ to, after, timeoutSeconds: timeoutSeconds(c), signal: c.req.raw.signal }));
    })
    .delete("/inbox/:message", (c) => {
      inboxOf(c).remove(c.req.param("message"));
      return c.body(null, 204);
    })
    .get("/verifications", (c) => c.json({ verifications: deps.state.verifications.list(applicationOf(deps, c).id) }));
}

/** Creates the routes of an application's clock. */
export function createClockRoutes(deps: SandboxDeps): Hono {
  const clockStatus = (applicationId: string) => {
    const clock = deps.scheduler.of(applicationId);
    return { now: isoInstant(clock.now()), mode: clock.mode() };
  };
  return new Hono()
    .get("/clock", (c) => c.json(clockStatus(applicationOf(deps, c).id)))
    .put("/clock", async (c) => {
      const { id } = applicationOf(deps, c);
      setClock(deps, id, await readJson(c));
      return c.json(clockStatus(id));
    })
    .post("/clock/advance", async (c) => {
      const { id } = applicationOf(deps, c);
      await advanceClock(deps, id, await readJson(c));
      return c.json(clockStatus(id));
    });
}

/** Creates the routes of an application's faults. */
export function createFaultRoutes(deps: SandboxDeps): Hono {
  const { state } = deps;
  return new Hono()
    .get("/faults", (c) => c.json({ faults: state.faults.list(applicationOf(deps, c).id) }))
    .post("/faults", async (c) => c.json(addFault(deps, applicationOf(deps, c).id, await readJson(c)), 201))
    .delete("/faults", (c) => {
      state.faults.forget(applicationOf(deps, c).id);
      return c.body(null, 204);
    })
    .get("/faults/firings", (c) => c.json({ firings: state.firings.list(applicationOf(deps, c).id) }))
    .delete("/faults/:fault", (c) => {
      removeFault(deps, applicationOf(deps, c).id, c.req.param("fault"));
      return c.body(null, 204);
    });
}

/** Creates the routes of an app's events, and of the decisions among them. */
export function createDecisionRoutes(deps: SandboxDeps): Hono {
  const { state } = deps;
  return new Hono()
    .post("/events", async (c) => {
      receiveEvents(deps, applicationOf(deps, c).id, await readJson(c));
      return c.body(null, 204);
    })
    .get("/decisions", (c) => c.json({ decisions: state.decisions.list(applicationOf(deps, c).id) }))
    .delete("/decisions", (c) => {
      state.decisions.forget(applicationOf(deps, c).id);
      return c.body(null, 204);
    });
}
