import { setTimeout } from "node:timers/promises";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import { fireFaults } from "../fault/fire-faults.ts";
import { decodeJson } from "../http/read-request.ts";
import { ConnectionCut } from "../http/refuse.ts";
import type { Service } from "../service/service.ts";
import { type FaultyRoute, faultyRoutes, type RequestAction } from "../state/fault.ts";
import { type ApiEnv, readApiBody } from "./api-request.ts";

/**
 * Applies the faults on a request. Delays are on the wall clock, as with a service that is really slow. After an `answer`
 * or a cut `before`, nothing was done.
 */
export function applyRequestFaults(
  { state, scheduler }: Service,
  closed: AbortSignal,
): ReturnType<typeof createMiddleware<ApiEnv>> {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const { id: applicationId } = c.var.application;
    if (state.faults.count(applicationId) === 0) return next();
    const on = routeOf(c.req.method, c.req.path);
    if (on === undefined) return next();
    const gone = AbortSignal.any([c.req.raw.signal, closed]);
    const to = c.req.method === "POST" ? recipientsIn(await readApiBody(c)) : [];
    const atMilliseconds = scheduler.now(applicationId);
    const actions = fireFaults(state, { applicationId, scope: "request", on, to, atMilliseconds });

    for (const action of actions) {
      if (action.type === "delay") await delay(action.milliseconds, gone);
      if (action.type === "cut" && action.when === "before") throw new ConnectionCut();
      if (action.type === "answer") return toResponse(action);
    }
    await next();
    if (actions.some((action) => action.type === "cut" && action.when === "after")) throw new ConnectionCut();
  });
}

/** When the caller has left or the sandbox closes, there is no one to answer. */
async function delay(milliseconds: number, gone: AbortSignal): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal: gone });
  } catch {
    throw new ConnectionCut();
  }
}

function routeOf(method: string, path: string): FaultyRoute | undefined {
  const short = path.replace(/^\/v1/, "").replace(/^(\/verifications\/confirmation)\/.*/, "$1");
  return faultyRoutes.find((route) => route === `${method} ${short}`);
}

const addressed = z.object({ recipient: z.string().optional(), recipients: z.array(z.string()).optional() });

/** A body that is not such a request has no recipients. The route refuses it later. */
function recipientsIn(body: Uint8Array): readonly string[] {
  try {
    const { recipient, recipients = [] } = addressed.parse(decodeJson(body));
    return recipient === undefined ? recipients : [recipient, ...recipients];
  } catch {
    return [];
  }
}

function toResponse({ status, body, retryAfterSeconds }: Extract<RequestAction, { type: "answer" }>): Response {
  const retryAfter = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return new Response(body ?? null, { status, headers: retryAfter });
}
