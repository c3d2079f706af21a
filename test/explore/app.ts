import { createDoorcode, type Doorcode, type LoginProof, serviceCodes, type WebhookEvent } from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/fetch";
import type { HandlerRun, History } from "./history.ts";
import { type Scheduler, writeFaults } from "./scheduler.ts";
import type { ExploredService } from "./service.ts";

/** What the processes of an app share. */
export interface AppDeps {
  readonly scheduler: Scheduler;
  readonly store: Store;
  readonly service: ExploredService;
  readonly history: History;
  /** The next place in the order of everything that happened. */
  readonly tick: () => number;
  /** The user of each number. */
  readonly users: Map<string, string>;
  /** True for an app whose users can remove a number. */
  readonly removes: boolean;
}

/** The app: a kit and its mounts. */
export interface App {
  readonly doorcode: Doorcode;
  handle(request: Request): Promise<Response | undefined>;
}

/** The statuses of a message, in their order. */
export const statuses: readonly string[] = ["QUEUED", "SENT", "DELIVERED"];

export const webhookSecret = "whk_of_the_exploration";
const password = "a password of the exploration, long enough";

/** Creates an app with a login, and a guarded page. */
export function createLoginApp(deps: AppDeps): App {
  const { scheduler, store, service, removes } = deps;
  const doorcode = createDoorcode({
    store,
    clock: scheduler.clock,
    // Without it the kit warns of every failure.
    onEvent: () => undefined,
    service: { baseUrl: "http://127.0.0.1/v1", apiKey: "key", dispatcher: service.dispatcher },
    session: { password },
    login: {
      countries: ["DE"],
      codes: serviceCodes({ template: "login" }),
      onLogin: (proof) => findUser(deps, proof),
      ...(removes && { onLink: () => undefined, phoneOf: () => undefined, onRemove: removal(deps) }),
    },
  });
  const login = phoneLogin(doorcode, { basePath: "/login" });
  const link = removes ? phoneLogin(doorcode, { basePath: "/link", purpose: "link" }) : undefined;
  const guard = requireLogin(doorcode);
  return {
    doorcode,
    async handle(request) {
      const client = { remoteAddress: "192.0.2.1" };
      if (!request.url.endsWith("/account")) return (await login(request, client)) ?? link?.(request, client);
      const result = await guard(request);
      return "session" in result ? Response.json({ status: "admitted" }) : result.response;
    },
  };
}

function findUser({ scheduler, history, users }: AppDeps, { phone }: LoginProof): Promise<string | undefined> {
  const request = scheduler.current;
  request?.reached.add("asked the app");
  if (request) history.askedForUser.push(request);
  return scheduler.call({
    what: "the app: onLogin",
    faults: writeFaults,
    async carryOut() {
      request?.reached.add("app answered");
      return users.get(phone);
    },
  });
}

function removal({ scheduler, users }: AppDeps) {
  return ({ userId, phone }: { readonly userId: string; readonly phone: string }) =>
    scheduler.call({
      what: "the app: onRemove",
      faults: writeFaults,
      async carryOut() {
        const isOwn = users.get(phone) === userId;
        if (isOwn) users.delete(phone);
        return isOwn ? ("removed" as const) : ("unknown" as const);
      },
    });
}

/** Creates an app with a webhook endpoint. */
export function createWebhookApp(deps: AppDeps): App {
  const { scheduler, store, history, tick } = deps;
  async function handleEvent(event: WebhookEvent): Promise<void> {
    const request = scheduler.current;
    if (!request) return;
    const status = String(event.data.status);
    const run: HandlerRun = { request, event: status, rank: statuses.indexOf(status), begunAt: tick() };
    history.handlerRuns.push(run);
    await scheduler.call({
      what: `the app: handler of ${status}`,
      faults: writeFaults,
      async carryOut() {
        run.isDone = true;
      },
    });
    run.endedAt = tick();
  }
  const doorcode = createDoorcode({
    store,
    clock: scheduler.clock,
    // Without it the kit warns of every failure.
    onEvent: () => undefined,
    webhooks: { secret: webhookSecret, on: { "message.status.update": handleEvent } },
  });
  return { doorcode, handle: webhooks(doorcode, { basePath: "/webhooks" }) };
}
