import { createHash } from "node:crypto";
import { createMiddleware } from "hono/factory";
import { Refusal } from "../primitives/refusal.ts";
import { accountId } from "../state/account.ts";
import type { Application } from "../state/application.ts";
import type { State } from "../state/state.ts";
import type { ApiEnv } from "./api-context.ts";

/**
 * Finds the application of the request's API key.
 *
 * @throws Refusal `auth.invalid_api_key`, the same for a missing and a wrong key
 * @see "API requests" of the specification
 */
export function authenticate(state: State): ReturnType<typeof createMiddleware<ApiEnv>> {
  const applicationOf = createApiKeyIndex(state);
  return createMiddleware<ApiEnv>(async (c, next) => {
    const application = applicationOf(c.req.header("x-api-key") ?? "");
    if (!application) throw invalidKey();
    c.set("application", application);
    await next();
  });
}

/**
 * Returns the current record of an application whose key was checked some time ago.
 *
 * @throws Refusal `auth.invalid_api_key` when it was removed meanwhile
 */
export function currentApplication(state: State, { id }: Application): Application {
  const application = state.applications.get(id);
  if (application) return application;
  throw invalidKey();
}

function invalidKey(): Refusal {
  return new Refusal("auth.invalid_api_key", "Send the application's API key as X-API-KEY.");
}

/** Creates a function that finds the application of a key. It follows rotations and revocations. */
function createApiKeyIndex(state: State): (apiKey: string) => Application | undefined {
  const idsByKey = new Map<string, string>();
  const keysById = new Map<string, string>();
  const put = ({ id, apiKey }: Application) => {
    idsByKey.delete(keysById.get(id) ?? "");
    keysById.delete(id);
    if (apiKey === undefined) return;
    keysById.set(id, digest(apiKey));
    idsByKey.set(digest(apiKey), id);
  };
  state.applications.list(accountId).forEach(put);
  state.applications.watch((application, change) =>
    put(change === "removed" ? { ...application, apiKey: undefined } : application),
  );

  return (apiKey) => state.applications.get(idsByKey.get(digest(apiKey)) ?? "");
}

/** The lookup by a digest takes the same time for every key, so its duration reveals nothing about a key. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
