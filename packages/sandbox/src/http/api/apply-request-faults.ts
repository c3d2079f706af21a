import { setTimeout } from "node:timers/promises";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import { takeFaults } from "../../fault/take-faults.ts";
import type { Service } from "../../service/service.ts";
import { type FaultyRoute, faultyRoutes, type RequestAction } from "../../state/fault.ts";
import { ConnectionCut } from "../connection-cut.ts";
import { readBytes } from "../read-json.ts";
import type { ApiEnv } from "./authenticate.ts";

const addressed = z.object({ recipient: z.string().optional(), recipients: z.array(z.string()).optional() });

/**
 * Does to a request what the faults that are on say. Delays are on the wall clock, as a slow service is to its caller; an
 * answer of its own, or a cut `before`, means that nothing was done.
 */
export function applyRequestFaults(
  { state, agenda }: Service,
  closed: AbortSignal,
): ReturnType<typeof createMiddleware<ApiEnv>> {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const { id: applicationId, settings } = c.var.application;
    if (state.faults.count(applicationId) === 0) return next();
    const on = routeOf(c.req.method, c.req.path);
    if (on === undefined) return next();
    const left = AbortSignal.any([c.req.raw.signal, closed]);
    const to = c.req.method === "POST" ? recipientsOf(await peek(c, settings.bodyLimitBytes)) : [];
    const atMilliseconds = agenda.now(applicationId);
    const actions = takeFaults(state, { applicationId, scope: "request", on, to, atMilliseconds });

    for (const action of actions) {
      if (action.type === "delay") await delay(action.milliseconds, left);
      if (action.type === "cut" && action.when === "before") throw new ConnectionCut();
      if (action.type === "answer") return ownAnswer(action);
    }
    await next();
    if (actions.some((action) => action.type === "cut" && action.when === "after")) throw new ConnectionCut();
  });
}

/** Nobody waits for an answer that the caller, or the sandbox, has given up. */
async function delay(milliseconds: number, left: AbortSignal): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal: left });
  } catch {
    throw new ConnectionCut();
  }
}

function routeOf(method: string, path: string): FaultyRoute | undefined {
  const short = path.replace(/^\/v1/, "").replace(/^(\/verifications\/confirmation)\/.*/, "$1");
  return faultyRoutes.find((route) => route === `${method} ${short}`);
}

/** Reads the body and puts it back. A clone would not do: its stream ends only with that of the request itself. */
async function peek(c: Context, limitBytes: number): Promise<Uint8Array> {
  const { url, method, headers, body } = c.req.raw;
  const bytes = await readBytes(body, limitBytes);
  c.req.raw = new Request(url, { method, headers, body: bytes });
  return bytes;
}

/** Whom a request is for; what is no such request has nobody. */
function recipientsOf(bytes: Uint8Array): readonly string[] {
  const parsed = addressed.safeParse(parseLeniently(bytes));
  return parsed.success ? [parsed.data.recipient ?? [], parsed.data.recipients ?? []].flat() : [];
}

function parseLeniently(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function ownAnswer({ status, body, retryAfterSeconds }: Extract<RequestAction, { type: "answer" }>): Response {
  const retryAfter = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return new Response(body ?? null, { status, headers: retryAfter });
}
