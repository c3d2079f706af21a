import { type Context, Hono } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { z } from "zod";
import { applicationOf, readJson } from "../http/read-request.ts";
import { createServiceDocument } from "../openapi/service-document.ts";
import { parse } from "../primitives/errors.ts";
import { phoneShape } from "../primitives/phone-number.ts";
import { type CheckedAccount, createAccount } from "../sandbox/account.ts";
import { createApplication, listApplications } from "../sandbox/applications.ts";
import { receiveEvents } from "../sandbox/decisions.ts";
import { type CheckedApplication, openApplication } from "../sandbox/sandbox-application.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";
import { findApplication } from "../service/service.ts";
import { type Application, eventNames } from "../state/application.ts";
import { isoInstant } from "../state/record.ts";
import type { State } from "../state/state.ts";

/** A request to the control API about one application. */
interface ControlRequest {
  readonly deps: SandboxDeps;
  /** The application, as a program has it. */
  readonly sandbox: CheckedApplication;
  readonly c: Context;
  /** Returns a parameter of the path. */
  readonly param: (name: string) => string;
  /** The account that all applications share. */
  readonly account: CheckedAccount;
  /** Reads the JSON body. */
  readonly body: () => Promise<unknown>;
  /** Reads the JSON body, an object with this member only, and returns the member. */
  readonly member: (name: string) => Promise<unknown>;
}

/** The handler of a request. Its result is the JSON body of the answer. Without a result the answer is 204. */
type Handler = (request: ControlRequest) => unknown;

/** The handlers by method and path; then comes 201 where something is created. */
type Routes = Readonly<Record<string, Handler>>;

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
    const [method = "", path = "", status = "200"] = name.split(" ");
    api.on(method, `${prefix}${path}`, async (c) => {
      const sandbox = openApplication(deps, new URL(c.req.url).origin, applicationOf(deps, c).id);
      const param = (name: string) => c.req.param(name) ?? "";
      const account = createAccount(deps);
      const body = () => readJson(c);
      const member = async (name: string) => parse("body", bodyOf(name), await body())[name];
      const result = await handle({ deps, sandbox, account, c, param, body, member });
      return result === undefined ? c.body(null, 204) : Response.json(result, { status: Number(status) });
    });
  }
}

/** The function that gets the member checks it. */
function bodyOf(name: string): z.ZodType<Readonly<Record<string, unknown>>> {
  return z.strictObject({ [name]: z.unknown().optional() });
}

const pauseMilliseconds = 100;

/** Sends an event to the page when something has changed: immediately, and then at most once in 100 ms. */
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
  "GET /account": ({ account }) => account.get(),
  "GET /account/mails": ({ account }) => ({ mails: account.mails() }),
  "POST /account/senders 201": async ({ account, member }) => {
    account.registerSender(await member("name"));
    return account.get().senders;
  },
  "DELETE /account/senders/:name": ({ account, param }) => account.removeSender(param("name")),
  "POST /account/numbers 201": async ({ account, body }) => {
    account.rentNumber(await body());
    return account.get().numbers;
  },
  "DELETE /account/numbers/:phone": ({ account, param }) => account.releaseNumber(param("phone")),
  "GET /applications": ({ deps }) => ({ applications: listApplications(deps).map(withoutSecrets) }),
  "POST /applications 201": async ({ deps, body }) => {
    const application = createApplication(deps, await body());
    // Only this answer contains the signing secret.
    return { ...withoutSecrets(application), signingSecret: application.signingSecret };
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

const applicationRoutes: Routes = {
  "GET /application": ({ deps, sandbox }) => withoutSecrets(findApplication(deps, sandbox.id)),
  "PATCH /application": async ({ deps, sandbox, body }) => {
    sandbox.configure(await body());
    return withoutSecrets(findApplication(deps, sandbox.id));
  },
  "DELETE /application": ({ sandbox }) => sandbox.remove(),
  "POST /api_key 201": ({ sandbox }) => ({ apiKey: sandbox.rotateApiKey() }),
  "DELETE /api_key": ({ sandbox }) => sandbox.revokeApiKey(),
  "POST /signing_secret 201": ({ sandbox }) => ({ signingSecret: sandbox.regenerateSigningSecret() }),
  "GET /openapi.json": ({ deps, sandbox }) => createServiceDocument(findApplication(deps, sandbox.id)),
  "GET /usage": ({ sandbox }) => sandbox.usage(),
  "POST /reset": ({ sandbox }) => sandbox.reset(),

  "GET /inbox": ({ sandbox, c }) => ({ messages: sandbox.inbox.list(filterOf(c)) }),
  "DELETE /inbox": ({ sandbox, c }) => sandbox.inbox.clear(filterOf(c)),
  "GET /inbox/wait": ({ sandbox, c }) => {
    const { timeout: timeoutSeconds, ...options } = parse("wait", messageWaitShape, c.req.query());
    return sandbox.inbox.wait({ ...options, timeoutSeconds, signal: c.req.raw.signal });
  },
  "DELETE /inbox/:message": ({ sandbox, param }) => sandbox.inbox.remove(param("message")),
  "GET /verifications": ({ sandbox }) => ({ verifications: sandbox.verifications.list() }),

  "GET /endpoints": ({ sandbox }) => ({ endpoints: sandbox.endpoints.list() }),
  "POST /endpoints 201": async ({ sandbox, body }) => {
    const { url, events } = parse("endpoints", endpointBody, await body());
    return sandbox.endpoints.add({ target: url, events });
  },
  "PATCH /endpoints/:endpoint": async ({ sandbox, param, member }) =>
    sandbox.endpoints.setEvents(param("endpoint"), await member("events")),
  "DELETE /endpoints/:endpoint": ({ sandbox, param }) => sandbox.endpoints.remove(param("endpoint")),
  "POST /endpoints/:endpoint/enable": ({ sandbox, param }) => sandbox.endpoints.enable(param("endpoint")),
  "POST /endpoints/:endpoint/check": async ({ sandbox, param }) => ({
    findings: await sandbox.endpoints.check(param("endpoint")),
  }),

  "GET /requests": ({ sandbox }) => ({ requests: sandbox.requests.list() }),

  "GET /deliveries": ({ sandbox }) => ({ deliveries: sandbox.deliveries.list() }),
  "GET /deliveries/wait": ({ sandbox, c }) => {
    const { timeout: timeoutSeconds, ...options } = parse("wait", deliveryWaitShape, c.req.query());
    return sandbox.deliveries.wait({ ...options, timeoutSeconds, signal: c.req.raw.signal });
  },
  "POST /deliveries/replay_failed": async ({ sandbox }) => ({ deliveries: await sandbox.deliveries.replayFailed() }),
  "POST /deliveries/:delivery/send_again": async ({ sandbox, c, param, body }) => {
    // Without a body nothing is changed.
    const changes = c.req.header("content-type") === undefined ? undefined : await body();
    return sandbox.deliveries.sendAgain(param("delivery"), changes);
  },

  "GET /clock": ({ sandbox }) => clockStatus(sandbox),
  "PUT /clock": async ({ sandbox, member }) => {
    sandbox.clock.set(await member("mode"));
    return clockStatus(sandbox);
  },
  "POST /clock/advance": async ({ sandbox, member }) => {
    await sandbox.clock.advance(await member("by"));
    return clockStatus(sandbox);
  },

  "GET /faults": ({ sandbox }) => ({ faults: sandbox.faults.list() }),
  "POST /faults 201": async ({ sandbox, body }) => sandbox.faults.add(await body()),
  "DELETE /faults": ({ sandbox }) => sandbox.faults.clear(),
  "GET /faults/firings": ({ sandbox }) => ({ firings: sandbox.faults.firings() }),
  "DELETE /faults/:fault": ({ sandbox, param }) => sandbox.faults.remove(param("fault")),

  "POST /events": async ({ deps, sandbox, body }) => receiveEvents(deps, sandbox.id, await body()),
  "GET /decisions": ({ sandbox }) => ({ decisions: sandbox.decisions.list() }),
  "DELETE /decisions": ({ deps, sandbox }) => deps.state.decisions.forget(sandbox.id),
};

/** Returns an application without its signing secrets. */
function withoutSecrets(application: Application): object {
  const { signingSecret: _, previousSigningSecret: __, ...rest } = application;
  return rest;
}

function clockStatus({ clock }: CheckedApplication): object {
  return { now: isoInstant(clock.now()), mode: clock.mode() };
}

function filterOf(c: Context): z.infer<typeof filterShape> {
  return parse("inbox", filterShape, c.req.query());
}
