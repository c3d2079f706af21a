import { type Context, Hono } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { z } from "zod";
import { applicationOf, readJson } from "../http/read-request.ts";
import { createServiceDocument } from "../openapi/service-document.ts";
import { parse } from "../primitives/errors.ts";
import { phoneShape } from "../primitives/phone-number.ts";
import { createAccount } from "../sandbox/account.ts";
import {
  configureApplication,
  createApplication,
  listApplications,
  removeApplication,
  resetApplication,
} from "../sandbox/applications.ts";
import { regenerateSigningSecret, revokeApiKey, rotateApiKey } from "../sandbox/credentials.ts";
import { receiveEvents } from "../sandbox/decisions.ts";
import { createDeliveries } from "../sandbox/deliveries.ts";
import { createEndpoints } from "../sandbox/endpoints.ts";
import { createFaults } from "../sandbox/faults.ts";
import { createInbox } from "../sandbox/inbox.ts";
import { advanceClock, setClock } from "../sandbox/sandbox-clock.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";
import { usageOf } from "../sandbox/usage.ts";
import { findApplication } from "../service/service.ts";
import { type Application, eventNames } from "../state/application.ts";
import { isoInstant } from "../state/record.ts";
import type { State } from "../state/state.ts";

/** A request to the control API about one application. */
interface ControlRequest {
  readonly deps: SandboxDeps;
  readonly id: string;
  readonly c: Context;
  /** Returns a parameter of the path. */
  readonly param: (name: string) => string;
  /** Reads the JSON body. */
  readonly body: () => Promise<unknown>;
}

/** What a request does. Its result is the JSON body of the answer. Without a result the answer is 204. */
type Handler = (request: ControlRequest) => unknown;

type Routes = Readonly<Record<string, Handler>>;

/** The result of a request that has created something, which is answered with 201. */
class Created {
  readonly record: unknown;

  constructor(record: unknown) {
    this.record = record;
  }
}

/**
 * Creates the control API: the members of `Sandbox` over HTTP, for tests and tools in any language. The routes of an
 * application are at `/applications/{id}`, and those of the default application also without that prefix.
 */
export function createControlApi(deps: SandboxDeps): Hono {
  const api = new Hono().get("/changes", (c) =>
    streamSSE(c, (stream) => streamChanges(stream, deps.state, deps.closed)),
  );
  addRoutes(api, "", accountRoutes, deps);
  for (const prefix of ["/applications/:application", ""]) addRoutes(api, prefix, applicationRoutes, deps);
  return api;
}

function addRoutes(api: Hono, prefix: string, routes: Routes, deps: SandboxDeps): void {
  for (const [name, handle] of Object.entries(routes)) {
    const [method = "", path = ""] = name.split(" ");
    api.on(method, `${prefix}${path}`, async (c) => {
      const { id } = applicationOf(deps, c);
      const param = (name: string) => c.req.param(name) ?? "";
      const result = await handle({ deps, id, c, param, body: () => readJson(c) });
      if (result === undefined) return c.body(null, 204);
      return result instanceof Created ? Response.json(result.record, { status: 201 }) : Response.json(result);
    });
  }
}

const pauseMilliseconds = 100;

/** Sends an event to the page when something has changed: at once, and then at most once in 100 ms. */
async function streamChanges(stream: SSEStreamingApi, state: State, closed: AbortSignal): Promise<void> {
  let change = Promise.withResolvers<void>();
  const wakeUp = () => change.resolve();
  const stop = state.watch(wakeUp);
  stream.onAbort(wakeUp);
  closed.addEventListener("abort", wakeUp, { once: true });

  try {
    while (!stream.aborted && !closed.aborted) {
      change = Promise.withResolvers();
      await stream.writeSSE({ data: "changed" });
      await stream.sleep(pauseMilliseconds);
      await change.promise;
    }
  } finally {
    stop();
    closed.removeEventListener("abort", wakeUp);
  }
}

const senderBody = z.strictObject({ name: z.unknown() });

/** The routes of the account: sender IDs, rented numbers, mails, and the list of applications. */
const accountRoutes: Routes = {
  "GET /account": ({ deps }) => createAccount(deps).get(),
  "GET /account/mails": ({ deps }) => ({ mails: createAccount(deps).mails() }),
  "POST /account/senders": async ({ deps, body }) => {
    const account = createAccount(deps);
    account.registerSender(parse("registerSender", senderBody, await body()).name);
    return new Created(account.get().senders);
  },
  "DELETE /account/senders/:name": ({ deps, param }) => createAccount(deps).removeSender(param("name")),
  "POST /account/numbers": async ({ deps, body }) => {
    const account = createAccount(deps);
    account.rentNumber(await body());
    return new Created(account.get().numbers);
  },
  "DELETE /account/numbers/:phone": ({ deps, param }) => createAccount(deps).releaseNumber(param("phone")),
  "GET /applications": ({ deps }) => ({ applications: listApplications(deps).map(withoutSecrets) }),
  "POST /applications": async ({ deps, body }) => {
    const application = createApplication(deps, await body());
    // Only this answer contains the signing secret.
    return new Created({ ...withoutSecrets(application), signingSecret: application.signingSecret });
  },
};

const filterShape = z.object({ to: phoneShape.optional() });
/** Seconds on the wall clock. */
const timeoutShape = z.coerce.number().min(0).max(300).default(30);
const messageWaitShape = z.object({ to: z.string().default(""), after: z.string().optional(), timeout: timeoutShape });
const deliveryWaitShape = z.object({
  event: z.enum(eventNames).optional(),
  to: phoneShape.optional(),
  eventStatus: z.string().optional(),
  status: z.literal(["pending", "delivered", "failed"]).optional(),
  timeout: timeoutShape,
});
const endpointBody = z.strictObject({ url: z.string(), events: z.unknown().optional() });
const eventsBody = z.strictObject({ events: z.unknown().optional() });

const applicationRoutes: Routes = {
  "GET /application": ({ deps, id }) => withoutSecrets(findApplication(deps, id)),
  "PATCH /application": async ({ deps, id, body }) => {
    configureApplication(deps, id, await body());
    return withoutSecrets(findApplication(deps, id));
  },
  "DELETE /application": ({ deps, id }) => removeApplication(deps, id),
  "POST /api_key": ({ deps, id }) => new Created({ apiKey: rotateApiKey(deps, id) }),
  "DELETE /api_key": ({ deps, id }) => revokeApiKey(deps, id),
  "POST /signing_secret": ({ deps, id }) => new Created({ signingSecret: regenerateSigningSecret(deps, id) }),
  "GET /openapi.json": ({ deps, id }) => createServiceDocument(findApplication(deps, id)),
  "GET /usage": ({ deps, id }) => usageOf(deps, id),
  "POST /reset": ({ deps, id }) => resetApplication(deps, id),

  "GET /inbox": ({ deps, id, c }) => ({ messages: createInbox(deps, id).list(filterOf(c)) }),
  "DELETE /inbox": ({ deps, id, c }) => createInbox(deps, id).clear(filterOf(c)),
  "GET /inbox/wait": ({ deps, id, c }) => {
    const { timeout: timeoutSeconds, ...options } = parse("wait", messageWaitShape, c.req.query());
    return createInbox(deps, id).wait({ ...options, timeoutSeconds, signal: c.req.raw.signal });
  },
  "DELETE /inbox/:message": ({ deps, id, param }) => createInbox(deps, id).remove(param("message")),
  "GET /verifications": ({ deps, id }) => ({ verifications: deps.state.verifications.list(id) }),

  "GET /endpoints": ({ deps, id }) => ({ endpoints: createEndpoints(deps, id).list() }),
  "POST /endpoints": async ({ deps, id, body }) => {
    const { url, events } = parse("endpoints", endpointBody, await body());
    return new Created(createEndpoints(deps, id).add({ target: url, events }));
  },
  "PATCH /endpoints/:endpoint": async ({ deps, id, param, body }) => {
    const { events } = parse("endpoints", eventsBody, await body());
    createEndpoints(deps, id).setEvents(param("endpoint"), events);
  },
  "DELETE /endpoints/:endpoint": ({ deps, id, param }) => createEndpoints(deps, id).remove(param("endpoint")),
  "POST /endpoints/:endpoint/enable": ({ deps, id, param }) => createEndpoints(deps, id).enable(param("endpoint")),
  "POST /endpoints/:endpoint/check": async ({ deps, id, param }) => ({
    findings: await createEndpoints(deps, id).check(param("endpoint")),
  }),

  "GET /deliveries": ({ deps, id }) => ({ deliveries: createDeliveries(deps, id).list() }),
  "GET /deliveries/wait": ({ deps, id, c }) => {
    const { timeout: timeoutSeconds, ...options } = parse("wait", deliveryWaitShape, c.req.query());
    return createDeliveries(deps, id).wait({ ...options, timeoutSeconds, signal: c.req.raw.signal });
  },
  "POST /deliveries/replay_failed": async ({ deps, id }) => ({
    deliveries: await createDeliveries(deps, id).replayFailed(),
  }),
  "POST /deliveries/:delivery/send_again": async ({ deps, id, c, param, body }) => {
    // Without a body nothing is changed.
    const changes = c.req.header("content-type") === undefined ? undefined : await body();
    return createDeliveries(deps, id).sendAgain(param("delivery"), changes);
  },

  "GET /clock": clockStatus,
  "PUT /clock": async (request) => {
    setClock(request.deps, request.id, await request.body());
    return clockStatus(request);
  },
  "POST /clock/advance": async (request) => {
    await advanceClock(request.deps, request.id, await request.body());
    return clockStatus(request);
  },

  "GET /faults": ({ deps, id }) => ({ faults: createFaults(deps, id).list() }),
  "POST /faults": async ({ deps, id, body }) => new Created(createFaults(deps, id).add(await body())),
  "DELETE /faults": ({ deps, id }) => createFaults(deps, id).clear(),
  "GET /faults/firings": ({ deps, id }) => ({ firings: createFaults(deps, id).firings() }),
  "DELETE /faults/:fault": ({ deps, id, param }) => createFaults(deps, id).remove(param("fault")),

  "POST /events": async ({ deps, id, body }) => receiveEvents(deps, id, await body()),
  "GET /decisions": ({ deps, id }) => ({ decisions: deps.state.decisions.list(id) }),
  "DELETE /decisions": ({ deps, id }) => deps.state.decisions.forget(id),
};

/** Returns an application without its signing secrets. */
function withoutSecrets(application: Application): object {
  const { signingSecret: _, previousSigningSecret: __, ...rest } = application;
  return rest;
}

function clockStatus({ deps, id }: ControlRequest): object {
  const clock = deps.scheduler.of(id);
  return { now: isoInstant(clock.now()), mode: clock.mode() };
}

function filterOf(c: Context): z.infer<typeof filterShape> {
  return parse("inbox", filterShape, c.req.query());
}
