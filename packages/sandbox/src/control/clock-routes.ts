import { Hono } from "hono";
import { readJson } from "../http/read-body.ts";
import { applicationOf } from "../http/request-params.ts";
import { isoInstant } from "../primitives/time.ts";
import { advanceClock, setClock } from "../sandbox/sandbox-clock.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";

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
