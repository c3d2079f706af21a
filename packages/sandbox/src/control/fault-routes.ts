import { Hono } from "hono";
import { readJson } from "../http/read-body.ts";
import { applicationOf } from "../http/request-params.ts";
import { addFault, removeFault } from "../sandbox/faults.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";

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
