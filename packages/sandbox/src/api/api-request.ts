import { createHash } from "node:crypto";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { readBytes } from "../http/read-request.ts";
import { Refusal } from "../primitives/errors.ts";
import type { Service } from "../service/service.ts";
import { accountId } from "../state/account.ts";
import type { Application } from "../state/application.ts";
import type { State } from "../state/state.ts";

/** The variables in the context of the API's routes. */
export interface ApiEnv {
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

/** The requests of one application within one second. */
interface RateWindow {
  readonly startMilliseconds: number;
  readonly count: number;
}

/**
 * Limits the requests per second of each application, as its settings say, on its own clock.
 *
 * @throws Refusal `request.rate_limited`, with `Retry-After`
 */
export function limitRate({ scheduler }: Service): ReturnType<typeof createMiddleware<ApiEnv>> {
  const windows = new Map<string, RateWindow>();
  return createMiddleware<ApiEnv>(async (c, next) => {
    const { id, settings } = c.var.application;
    if (settings.requestsPerSecond > 0) {
      const now = scheduler.now(id);
      const known = windows.get(id);
      const window = known && isWithin(known, now) ? known : { startMilliseconds: now, count: 0 };
      windows.set(id, { ...window, count: window.count + 1 });
      if (window.count >= settings.requestsPerSecond) {
        c.header("retry-after", "1");
        throw new Refusal("request.rate_limited", "Too many requests. Wait for a second.");
      }
    }
    await next();
  });
}

/** A reset moves the clock back. A window that starts in the future is over as well. */
function isWithin({ startMilliseconds }: RateWindow, now: number): boolean {
  return now >= startMilliseconds && now - startMilliseconds < 1000;
}
