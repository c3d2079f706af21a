import type { Context } from "hono";
import { readBytes } from "../http/read-body.ts";
import type { Application } from "../state/application.ts";

/** The variables in the context of the API's routes. */
export interface ApiEnv {
  /** Set by the middlewares. */
  readonly Variables: {
    /** The application of the API key. */
    readonly application: Application;
    /** The body, after it was read. */
    readonly body?: Uint8Array;
  };
}

/**
 * Reads the body of an API request. A body can be read only once, so the context keeps it: faults look into it before the
 * route does.
 *
 * @throws Refusal `request.too_large`
 */
export async function readApiBody(c: Context<ApiEnv>): Promise<Uint8Array> {
  const body = c.var.body ?? (await readBytes(c, c.var.application.settings.maxBodyBytes));
  c.set("body", body);
  return body;
}
