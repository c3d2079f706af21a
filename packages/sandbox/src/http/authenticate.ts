import { createHash, timingSafeEqual } from "node:crypto";
import { createMiddleware } from "hono/factory";
import { Refusal } from "../refusal.ts";
import type { Application } from "../state/application.ts";
import type { State } from "../state/state.ts";

/** What the routes of the API find in their context. */
export interface ApiEnv {
  readonly Variables: { readonly application: Application };
}

/**
 * Finds the application whose API key the request carries.
 *
 * @throws Refusal `auth.invalid_api_key`, the same for a key that is missing and one that is wrong
 * @see "API requests" of the specification
 */
export function authenticate(state: State): ReturnType<typeof createMiddleware<ApiEnv>> {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const given = digest(c.req.header("x-api-key") ?? "");
    const application = state.applications.list().find(({ apiKey }) => timingSafeEqual(digest(apiKey), given));
    if (!application) throw new Refusal("auth.invalid_api_key", "Send the application's API key as X-API-KEY.");
    c.set("application", application);
    await next();
  });
}

/** Keys differ in length, and timingSafeEqual takes equal lengths only. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
