import { Hono } from "hono";
import { readJson } from "../http/read-body.ts";
import { applicationOf } from "../http/request-params.ts";
import { receiveEvents } from "../sandbox/decisions.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";

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
