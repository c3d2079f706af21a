import { setTimeout } from "node:timers/promises";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { z } from "zod";
import { fireFaults } from "../fault/fire-faults.ts";
import { decodeJson, readBytes, requireJson } from "../http/read-request.ts";
import { ConnectionCut, refusalOf, refusalText } from "../http/refuse.ts";
import { parse, Refusal } from "../primitives/errors.ts";
import { isSameSecret } from "../primitives/secrets.ts";
import { acceptMessages, listMessages } from "../service/messages.ts";
import type { Service } from "../service/service.ts";
import { confirmVerification, startVerification } from "../service/verifications.ts";
import { accountId } from "../state/account.ts";
import { type Application, defaultApplicationId } from "../state/application.ts";
import { defaultDialect } from "../state/dialect.ts";
import { type FaultyRoute, faultyRoutes } from "../state/fault.ts";
import type { State } from "../state/state.ts";
import {
  confirmationAnswer,
  messageList,
  messagesAccepted,
  verificationAccepted,
  type WireAnswer,
  wireRefusal,
} from "../wire/answers.ts";
import { confirmationRequestShape, requestShapes } from "../wire/requests.ts";
import type { ApiEnv } from "./record-requests.ts";

/** Creates the API of the service. @see "Endpoints" of the specification */
export function createServiceApi(service: Service, closed: AbortSignal): Hono<ApiEnv> {
  return new Hono<ApiEnv>()
    .onError((error, c) => refuseInDialect(service, error, c))
    .use(authenticate(service.state), limitRate(service), applyRequestFaults(service, closed))
    .get("/messages", (c) => answer(c, messageList(c.var.application, listMessages(service, c.var.application))))
    .post("/messages", async (c) => {
      const { application, request } = await readRequest(service, c, (found) => requestShapes(found).messages);
      const { requestId, messages } = acceptMessages(service, application, request);
      return answer(c, messagesAccepted(requestId, messages));
    })
    .post("/verifications", async (c) => {
      const { application, request } = await readRequest(service, c, (found) => requestShapes(found).verifications);
      return answer(c, verificationAccepted(application, startVerification(service, application, request)));
    })
    .post("/verifications/confirmation/:verification_id", async (c) => {
      const { application, request } = await readRequest(service, c, () => confirmationRequestShape);
      const outcome = confirmVerification(service, application, c.req.param("verification_id"), request.otp_code);
      return answer(c, confirmationAnswer(application, outcome));
    });
}

async function readRequest<Body>(
  service: Service,
  c: Context<ApiEnv>,
  shapeFor: (application: Application) => z.ZodType<Body>,
) {
  const found = c.var.application;
  requireJson(c);
  const request = parse("request", shapeFor(found), decodeJson(await readApiBody(c)));
  // Reading a body and a fault take time. The application may have been changed or removed meanwhile.
  const application = service.state.applications.get(found.id);
  if (!application) throw invalidKey();
  return { request, application };
}

/** An invalid key belongs to no application. It is refused in the dialect of the default application. */
function refuseInDialect({ state }: Service, error: unknown, c: Context<ApiEnv>): Response {
  if (error instanceof ConnectionCut) throw error;
  const application = state.applications.get(c.var.application?.id ?? defaultApplicationId);
  const refusal = refusalOf(error);
  c.set("cause", refusalText(refusal));
  const { status, contentType, body } = wireRefusal(application?.dialect ?? defaultDialect, refusal);
  // Keeps the headers that a middleware has set, such as Retry-After.
  const headers = new Headers(c.res.headers);
  if (contentType) headers.set("content-type", contentType);
  return new Response(body, { status, headers });
}

function answer(c: Context<ApiEnv>, { status, body, cause }: WireAnswer): Response {
  c.set("cause", cause);
  return body === undefined ? new Response(null, { status }) : Response.json(body, { status });
}

/**
 * Reads the body of an API request. A body can be read only once, so the context keeps it: faults look into it before the
 * route does. @throws Refusal `request.too_large`
 */
async function readApiBody(c: Context<ApiEnv>): Promise<Uint8Array> {
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
function authenticate(state: State): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const given = c.req.header("x-api-key");
    const applications = state.applications.list(accountId);
    const application = applications.find(({ apiKey }) => apiKey !== undefined && isSameSecret(given, apiKey));
    if (!application) throw invalidKey();
    c.set("application", application);
    await next();
  };
}

function invalidKey(): Refusal {
  return new Refusal("auth.invalid_api_key", "Send the application's API key as X-API-KEY.");
}

/** Limits the requests per second of each application on its own clock. @throws Refusal `request.rate_limited` */
function limitRate({ scheduler }: Service): MiddlewareHandler<ApiEnv> {
  const windows = new Map<string, { startMilliseconds: number; count: number }>();
  return async (c, next) => {
    const { id, settings } = c.var.application;
    if (settings.requestsPerSecond === 0) return next();
    const now = scheduler.now(id);
    const window = windows.get(id);
    // A reset moves the clock back. A window that starts in the future is over as well.
    const isOpen = window && now >= window.startMilliseconds && now - window.startMilliseconds < 1000;
    const count = isOpen ? window.count + 1 : 1;
    windows.set(id, { startMilliseconds: isOpen ? window.startMilliseconds : now, count });
    if (count > settings.requestsPerSecond) {
      c.header("retry-after", "1");
      throw new Refusal("request.rate_limited", "Too many requests. Wait for a second.");
    }
    await next();
  };
}

/**
 * Applies the faults on a request. Delays are on the wall clock, as with a service that is really slow. After an `answer`
 * or a cut `before`, nothing was done.
 */
function applyRequestFaults({ state, scheduler }: Service, closed: AbortSignal): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
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
      if (action.type === "cut" && action.when === "before") cut(c, "before anything was done");
      if (action.type === "answer") {
        const { status, body = null, retryAfterSeconds } = action;
        const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
        if (status >= 400) c.set("cause", `A fault answered ${status}.`);
        return new Response(body, { status, headers });
      }
    }
    await next();
    if (actions.some((action) => action.type === "cut" && action.when === "after")) cut(c, "after the work was done");
  };
}

function cut(c: Context<ApiEnv>, when: string): never {
  c.set("cause", `A fault cut the connection ${when}.`);
  throw new ConnectionCut();
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
