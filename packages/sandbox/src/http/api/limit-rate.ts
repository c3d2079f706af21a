import { createMiddleware } from "hono/factory";
import { Refusal } from "../../refusal.ts";
import type { Service } from "../../service/service.ts";
import type { ApiEnv } from "./authenticate.ts";

/** Requests of one application within the second that began then. */
interface Window {
  readonly beganMilliseconds: number;
  readonly count: number;
}

/**
 * Takes so many requests a second of each application as its settings say, on its own clock.
 *
 * @throws Refusal `request.rate_limited`, with `Retry-After`
 */
export function limitRate({ agenda }: Service): ReturnType<typeof createMiddleware<ApiEnv>> {
  const windows = new Map<string, Window>();
  return createMiddleware<ApiEnv>(async (c, next) => {
    const { id, settings } = c.var.application;
    if (settings.requestsPerSecond > 0) {
      const now = agenda.now(id);
      const known = windows.get(id);
      const window = known && isWithin(known, now) ? known : { beganMilliseconds: now, count: 0 };
      windows.set(id, { ...window, count: window.count + 1 });
      if (window.count >= settings.requestsPerSecond) {
        c.header("retry-after", "1");
        throw new Refusal("request.rate_limited", "Too many requests: wait a second.");
      }
    }
    await next();
  });
}

/** A reset sets the clock back: then a window of before lies ahead, and is over too. */
function isWithin({ beganMilliseconds }: Window, now: number): boolean {
  return now >= beganMilliseconds && now - beganMilliseconds < 1000;
}
