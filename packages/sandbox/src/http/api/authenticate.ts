import { createMiddleware } from "hono/factory";
import { Refusal } from "../../refusal.ts";
import type { Application } from "../../state/application.ts";
import type { State } from "../../state/state.ts";
import { createKeyRing } from "./key-ring.ts";

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
  const ring = createKeyRing(state);
  return createMiddleware<ApiEnv>(async (c, next) => {
    const application = ring(c.req.header("x-api-key") ?? "");
    if (!application) throw invalidKey();
    c.set("application", application);
    await next();
  });
}

/**
 * The application as it is now, when its key was found a while ago.
 *
 * @throws Refusal `auth.invalid_api_key` once it is removed
 */
export function stillThere(state: State, { id }: Application): Application {
  const application = state.applications.get(id);
  if (application) return application;
  throw invalidKey();
}

function invalidKey(): Refusal {
  return new Refusal("auth.invalid_api_key", "Send the application's API key as X-API-KEY.");
}
