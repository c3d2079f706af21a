import type { MiddlewareHandler } from "hono";

/** Every answer may hold codes and phone numbers: no cache keeps it, no other site embeds it or hears its address. */
export const privateAnswers: MiddlewareHandler = async (c, next) => {
  await next();
  c.header("cache-control", "no-store");
  c.header("referrer-policy", "no-referrer");
  c.header("x-content-type-options", "nosniff");
  c.header("cross-origin-resource-policy", "same-origin");
  c.header("cross-origin-opener-policy", "same-origin");
};
