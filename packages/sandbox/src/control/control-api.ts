import { type Context, Hono } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { z } from "zod";
import { applicationOf, readJson, timeoutSeconds } from "../http/read-request.ts";
import { createServiceDocument } from "../openapi/service-document.ts";
import { parse } from "../primitives/errors.ts";
import { phoneShape } from "../primitives/phone-number.ts";
import { listMails, registerSender, releaseNumber, removeSender, rentNumber } from "../sandbox/account.ts";
import {
  configureApplication,
  createApplication,
  listApplications,
  removeApplication,
  resetApplication,
} from "../sandbox/applications.ts";
import { regenerateSigningSecret, revokeApiKey, rotateApiKey } from "../sandbox/credentials.ts";
import { receiveEvents } from "../sandbox/decisions.ts";
import { replayFailed, sendAgain, waitForDelivery } from "../sandbox/deliveries.ts";
import {
  addEndpoint,
  checkRegistered,
  enableEndpoint,
  removeEndpoint,
  setEndpointEvents,
} from "../sandbox/endpoints.ts";
import { addFault, removeFault } from "../sandbox/faults.ts";
import { createInbox } from "../sandbox/inbox.ts";
import { advanceClock, setClock } from "../sandbox/sandbox-clock.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";
import { usageOf } from "../sandbox/usage.ts";
import { accountOf, findApplication } from "../service/service.ts";
import { type Application, eventNames } from "../state/application.ts";
import { isoInstant } from "../state/record.ts";
import type { State } from "../state/state.ts";

/** A request to the control API about one application. */
interface ControlRequest {
  readonly deps: SandboxDeps;
  /** The id of the application. */
  readonly id: string;
  readonly c: Context;
}

/** The status of an answer, and what a request does. Its result is the JSON body of the answer; 204 has none. */
type Route = readonly [status: 200 | 201 | 204, handle: (request: ControlRequest) => unknown];

type Routes = Readonly<Record<string, Route>>;

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
  for (const [name, [status, handle]] of Object.entries(routes)) {
    const [method = "", path = ""] = name.split(" ");
    api.on(method, `${prefix}${path}`, async (c) => {
      const result = await handle({ deps, id: applicationOf(deps, c).id, c });
      return status === 204 ? c.body(null, status) : Response.json(result, { status });
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

/** The routes of the account: sender IDs, rented numbers, mails, and the list of applications. */
const accountRoutes: Routes = {
  "GET /account": [200, ({ deps }) => accountOf(deps)],
  "GET /account/mails": [200, ({ deps }) => ({ mails: listMails(deps) })],
  "POST /account/senders": [
    201,
    async ({ deps, c }) => {
      registerSender(deps, await readJson(c));
      return accountOf(deps).senders;
    },
  ],
  "DELETE /account/senders/:name": [204, ({ deps, c }) => removeSender(deps, paramOf(c, "name"))],
  "POST /account/numbers": [
    201,
    async ({ deps, c }) => {
      rentNumber(deps, await readJson(c));
      return accountOf(deps).numbers;
    },
  ],
  "DELETE /account/numbers/:phone": [204, ({ deps, c }) => releaseNumber(deps, paramOf(c, "phone"))],
  "GET /applications": [200, ({ deps }) => ({ applications: listApplications(deps).map(withoutSecrets) })],
  "POST /applications": [
    201,
    async ({ deps, c }) => {
      const application = createApplication(deps, await readJson(c));
      // Only this answer contains the signing secret.
      return { ...withoutSecrets(application), signingSecret: application.signingSecret };
    },
  ],
};

const filterShape = z.object({ to: phoneShape.optional() });
const waitShape = z.object({
  event: z.enum(eventNames).optional(),
  to: phoneShape.optional(),
  eventStatus: z.string().optional(),
  status: z.literal(["pending", "delivered", "failed"]).optional(),
});
const endpointBody = z.strictObject({ url: z.string(), events: z.unknown().optional() });
const eventsBody = z.strictObject({ events: z.unknown().optional() });

const applicationRoutes: Routes = {
  "GET /application": [200, ({ deps, id }) => withoutSecrets(findApplication(deps, id))],
  "PATCH /application": [
    200,
    async ({ deps, id, c }) => {
      configureApplication(deps, id, await readJson(c));
      return withoutSecrets(findApplication(deps, id));
    },
  ],
  "DELETE /application": [204, ({ deps, id }) => removeApplication(deps, id)],
  "POST /api_key": [201, ({ deps, id }) => ({ apiKey: rotateApiKey(deps, id) })],
  "DELETE /api_key": [204, ({ deps, id }) => revokeApiKey(deps, id)],
  "POST /signing_secret": [201, ({ deps, id }) => ({ signingSecret: regenerateSigningSecret(deps, id) })],
  "GET /openapi.json": [200, ({ deps, id }) => createServiceDocument(findApplication(deps, id))],
  "GET /usage": [200, ({ deps, id }) => usageOf(deps, id)],
  "POST /reset": [204, ({ deps, id }) => resetApplication(deps, id)],

  "GET /inbox": [200, ({ deps, id, c }) => ({ messages: createInbox(deps, id).list(filterOf(c)) })],
  "DELETE /inbox": [204, ({ deps, id, c }) => createInbox(deps, id).clear(filterOf(c))],
  "GET /inbox/wait": [
    200,
    ({ deps, id, c }) => {
      const { to = "", after } = c.req.query();
      return createInbox(deps, id).wait({ to, after, timeoutSeconds: timeoutSeconds(c), signal: c.req.raw.signal });
    },
  ],
  "DELETE /inbox/:message": [204, ({ deps, id, c }) => createInbox(deps, id).remove(paramOf(c, "message"))],
  "GET /verifications": [200, ({ deps, id }) => ({ verifications: deps.state.verifications.list(id) })],

  "GET /endpoints": [200, ({ deps, id }) => ({ endpoints: findApplication(deps, id).endpoints })],
  "POST /endpoints": [
    201,
    async ({ deps, id, c }) => {
      const { url, events } = parse("endpoints", endpointBody, await readJson(c));
      return addEndpoint(deps, id, { target: url, events });
    },
  ],
  "PATCH /endpoints/:endpoint": [
    204,
    async ({ deps, id, c }) => {
      const { events } = parse("endpoints", eventsBody, await readJson(c));
      setEndpointEvents(deps, id, paramOf(c, "endpoint"), events);
    },
  ],
  "DELETE /endpoints/:endpoint": [204, ({ deps, id, c }) => removeEndpoint(deps, id, paramOf(c, "endpoint"))],
  "POST /endpoints/:endpoint/enable": [204, ({ deps, id, c }) => enableEndpoint(deps, id, paramOf(c, "endpoint"))],
  "POST /endpoints/:endpoint/check": [
    200,
    async ({ deps, id, c }) => ({ findings: await checkRegistered(deps, id, paramOf(c, "endpoint")) }),
  ],

  "GET /deliveries": [200, ({ deps, id }) => ({ deliveries: deps.state.deliveries.list(id) })],
  "GET /deliveries/wait": [
    200,
    ({ deps, id, c }) => {
      const options = parse("wait", waitShape, c.req.query());
      return waitForDelivery(deps, id, { ...options, timeoutSeconds: timeoutSeconds(c), signal: c.req.raw.signal });
    },
  ],
  "POST /deliveries/replay_failed": [200, async ({ deps, id }) => ({ deliveries: await replayFailed(deps, id) })],
  "POST /deliveries/:delivery/send_again": [
    200,
    async ({ deps, id, c }) => {
      // Without a body nothing is changed.
      const changes = c.req.header("content-type") === undefined ? undefined : await readJson(c);
      return sendAgain(deps, id, paramOf(c, "delivery"), changes);
    },
  ],

  "GET /clock": [200, clockStatus],
  "PUT /clock": [
    200,
    async (request) => {
      setClock(request.deps, request.id, await readJson(request.c));
      return clockStatus(request);
    },
  ],
  "POST /clock/advance": [
    200,
    async (request) => {
      await advanceClock(request.deps, request.id, await readJson(request.c));
      return clockStatus(request);
    },
  ],

  "GET /faults": [200, ({ deps, id }) => ({ faults: deps.state.faults.list(id) })],
  "POST /faults": [201, async ({ deps, id, c }) => addFault(deps, id, await readJson(c))],
  "DELETE /faults": [204, ({ deps, id }) => deps.state.faults.forget(id)],
  "GET /faults/firings": [200, ({ deps, id }) => ({ firings: deps.state.firings.list(id) })],
  "DELETE /faults/:fault": [204, ({ deps, id, c }) => removeFault(deps, id, paramOf(c, "fault"))],

  "POST /events": [204, async ({ deps, id, c }) => receiveEvents(deps, id, await readJson(c))],
  "GET /decisions": [200, ({ deps, id }) => ({ decisions: deps.state.decisions.list(id) })],
  "DELETE /decisions": [204, ({ deps, id }) => deps.state.decisions.forget(id)],
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

function paramOf(c: Context, name: string): string {
  return c.req.param(name) ?? "";
}
