import { createMiddleware } from "hono/factory";
import { Refusal } from "../primitives/refusal.ts";
import type { Service } from "../service/service.ts";
import type { ApiEnv } from "./api-context.ts";

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
