import { Hono } from "hono";
import { z } from "zod";
import type { SandboxClock } from "../../controls/clock.ts";
import { faultShape } from "../../fault/fault-shape.ts";
import { clockModeShape } from "../../time/pace.ts";
import { readControl } from "../read-json.ts";
import type { Find } from "./find.ts";

const setting = z.strictObject({ mode: clockModeShape });
const advance = z.strictObject({ by: z.string() });

/** The clock and the faults of an application, over HTTP. */
export function createTimeControl(find: Find): Hono {
  return new Hono()
    .get("/clock", (c) => c.json(described(find(c).clock)))
    .put("/clock", async (c) => {
      const { clock } = find(c);
      clock.set((await readControl(c, setting)).mode);
      return c.json(described(clock));
    })
    .post("/clock/advance", async (c) => {
      const { clock } = find(c);
      await clock.advance((await readControl(c, advance)).by);
      return c.json(described(clock));
    })
    .get("/faults", (c) => c.json({ faults: find(c).faults.list() }))
    .post("/faults", async (c) => c.json(find(c).faults.add(await readControl(c, faultShape)), 201))
    .delete("/faults", (c) => {
      find(c).faults.clear();
      return c.body(null, 204);
    })
    .get("/faults/firings", (c) => c.json({ firings: find(c).faults.firings() }))
    .delete("/faults/:fault", (c) => {
      find(c).faults.remove(c.req.param("fault"));
      return c.body(null, 204);
    });
}

function described(clock: SandboxClock): object {
  return { now: new Date(clock.now()).toISOString(), mode: clock.mode() };
}
