import type { Context } from "hono";
import { z } from "zod";
import { parse } from "../primitives/usage-error.ts";
import { findApplication, type Service } from "../service/service.ts";
import { type Application, defaultApplicationId } from "../state/application.ts";

/**
 * Returns the application that a path names as `:application`. A path without it means the default application.
 *
 * @throws SandboxError `application_unknown`
 */
export function applicationOf(service: Service, c: Context): Application {
  return findApplication(service, c.req.param("application") ?? defaultApplicationId);
}

const shape = z.object({ timeout: z.coerce.number().min(0).max(300).default(30) });

/** Returns the time limit of a wait, from the query `timeout`, in seconds on the wall clock. */
export function timeoutSeconds(c: Context): number {
  return parse("wait", shape, c.req.query()).timeout;
}
