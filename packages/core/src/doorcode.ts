import cluster from "node:cluster";
import type { Purpose } from "./codes/purpose.ts";
import type { DoorcodeEvent } from "./doorcode-event.ts";
import { createHostCheck, type Origins } from "./http/same-origin.ts";
import { createStateWaits, type StateWaits } from "./http/state-waits.ts";
import type { WebhookMountDeps } from "./http/webhook-endpoint.ts";
import type { OperatorLimits } from "./limits/operator-limits.ts";
import type { LoginDeps } from "./login/login-deps.ts";
import { checkOptions } from "./options/check-options.ts";
import type { DoorcodeOptions } from "./options/doorcode-options.ts";
import { decideOrigins } from "./options/origins.ts";
import { createServiceClient, type ServiceClient } from "./service/client.ts";
import type { Messages } from "./service/messages.ts";
import { createKitSessions, type SessionSource } from "./sessions/session-source.ts";
import type { Sessions } from "./sessions/sessions.ts";
import type { SharedDeps } from "./shared-deps.ts";
import { createFailClosedStore } from "./store/fail-closed.ts";
import { createMemoryStore, isMemoryStore } from "./store/memory.ts";
import type { Store } from "./store/store.ts";
import { createChangeListeners } from "./util/change-listeners.ts";
import { type Clock, systemClock } from "./util/clock.ts";
import { createCookie, type KitCookie } from "./util/cookie.ts";
import type { WithHeaders } from "./util/headers.ts";
import { createPublish } from "./util/publish.ts";
import { warn } from "./util/warn.ts";
import type { DeadLetters } from "./webhooks/dead-letters.ts";
import type { Reconciler } from "./webhooks/reconcile.ts";
import type { RegularReconciliation } from "./webhooks/regular-reconciliation.ts";
import type { WebhookWorker, WorkOptions } from "./webhooks/worker.ts";
import { wireLogin, wireSessions } from "./wire-login.ts";
import { type InboxParts, wireWebhooks } from "./wire-webhooks.ts";

/** The key of a kit's parts. It is a registered symbol, so that two copies of the package understand each other. */
export const doorcodeParts: unique symbol = Symbol.for("doorcode.parts") as never;

/** The parts of a kit, for adapters. An undefined part was not configured. */
export interface DoorcodeParts {
  readonly clock: Clock;
  /** True for a store in the memory of this process. */
  readonly hasMemoryStore: boolean;
  readonly origins: Origins;
  /** Refuses a request that the kit must not serve. @throws DoorcodeError `host_not_allowed` */
  readonly checkHost: (request: WithHeaders) => void;
  /** One cookie for each purpose, so that a step-up does not end a login in another tab. */
  readonly transactionCookies: Readonly<Record<Purpose, KitCookie>>;
  readonly deviceCookie: KitCookie;
  /** Returns the cookie that keeps the proof of a `verify` in the browser that has confirmed it: each audience has one. */
  readonly proofCookie: (audience: string) => KitCookie;
  readonly login: LoginDeps | undefined;
  /** The requests for the state of a login that wait for a change. */
  readonly waits: StateWaits;
  readonly sessions: Sessions<unknown> | undefined;
  readonly sessionSource: SessionSource<unknown, unknown> | undefined;
  readonly webhooks: WebhookMountDeps | undefined;
  readonly inbox: InboxParts | undefined;
  /** Also undefined without `service`. */
  readonly reconciler: Reconciler | undefined;
  readonly regularReconciliation: RegularReconciliation | undefined;
}

/**
 * Returns the parts of a kit.
 *
 * @throws TypeError for anything that createDoorcode has not returned
 */
export function partsOf(doorcode: Doorcode | undefined): DoorcodeParts {
  const parts = doorcode?.[doorcodeParts];
  if (parts) return parts;
  throw new TypeError("A mount or a guard needs the return value of createDoorcode as its first argument.");
}

/** Why a mount or a guard must not have sessions of the app beside those of the kit. */
export const twoSessionsFix: string =
  "both createDoorcode and these options have sessions: a login would start the one, and a guard ask the other. Leave " +
  "session out of createDoorcode to use the sessions of your app.";

/** The service's messages, and the reconciliation of what its webhooks did not bring. */
export interface KitMessages extends Messages, Reconciler {}

/** The kit. Adapters mount it; its members serve code that has no request. */
export interface Doorcode<User = unknown> {
  /** The service's messages. @throws TypeError if `service` was not configured; `reconcile` also without `webhooks`. */
  readonly messages: KitMessages;
  /** The service's verifications. @throws TypeError if `service` was not configured. */
  readonly verifications: ServiceClient["verifications"];
  /** The kit's own sessions. @throws TypeError if `session` was not configured. */
  readonly session: Sessions<User>;
  /** The limits of logins, for an operator. @throws TypeError if `login` was not configured. */
  readonly limits: OperatorLimits;
  /** The dead letters of the inbox. @throws TypeError if `webhooks.inbox` was not configured. */
  readonly deadLetters: DeadLetters;
  /**
   * Handles the webhooks of the inbox in this process, until it is stopped. Any number of processes may do so, whether
   * they mount `webhooks(doorcode)` or not. A process that only works needs no framework and no login.
   *
   * @throws TypeError if `webhooks.inbox` was not configured, or for a wrong option.
   */
  work(options?: WorkOptions): Promise<WebhookWorker>;
  /**
   * Answers the requests that wait for a change, stops the reconciliations and the workers, and closes the inbox, the store and the
   * connections to the service, so that the server and the process can end. What the app gave the kit, such as a Redis client or a pool,
   * stays open.
   */
  close(): Promise<void>;
  readonly [doorcodeParts]: DoorcodeParts;
}

const memoryStoreFix =
  "createDoorcode was called without `store`: attempts, sessions and events are kept in the memory of this process, where " +
  "a restart loses them and other processes do not see them. Set store: createRedisStore({ client }) of @doorcode/redis, " +
  "or createPostgresStore({ pool }) of @doorcode/postgres. If there is only this process, pass createMemoryStore().";

/**
 * Creates the kit from its options. This is the one place where its parts meet.
 *
 * @throws TypeError for a missing or wrong option, naming it, the expectation, and the variable to set.
 * @example
 * import { createDoorcode, serviceCodes } from "@doorcode/core";
 * import { users } from "./users.js";
 * export const doorcode = createDoorcode({
 *   service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
 *   session: { password: process.env.SESSION_PASSWORD },
 *   login: {
 *     countries: ["DE"],
 *     codes: serviceCodes({ template: "login" }),
 *     onLogin: async ({ phone }) => (await users.findOrCreate(phone)).id,
 *   },
 * });
 */
export function createDoorcode<User = undefined, Scope = unknown>(
  options: DoorcodeOptions<User, Scope>,
): Doorcode<User> {
  const checked = checkOptions(options);
  const { name } = checked;
  const production = process.env.NODE_ENV === "production";
  const needsOrigins = options.login !== undefined || options.session !== undefined;
  const { origins, secure } = decideOrigins(checked.origins, needsOrigins && production);
  const clock = options.clock ?? systemClock;
  const publish = createPublish<DoorcodeEvent>(options.onEvent, { showsStacks: !(secure || production) });
  const chosenStore = options.store ?? createMemoryStore({ clock, name });
  // Whoever passes it has chosen it, for one process; a worker of a cluster is never the only one.
  const isUnsafe = cluster.isWorker ? isMemoryStore(chosenStore) : production && !options.store;
  if (isUnsafe) warn("memory_store", memoryStoreFix);
  const store = createFailClosedStore(chosenStore, publish);
  const checkHost = createHostCheck(origins);
  const serviceUrl = options.service?.baseUrl;
  const changes = createChangeListeners();
  const shared: SharedDeps = { name, clock, publish, store, changes, checkHost, serviceUrl };

  const service = options.service && createServiceClient({ clock, ...options.service });
  const login = wireLogin(shared, options, checked, service);
  const sessions = wireSessions(shared, options, checked, createCookie(`${name}-session`, secure));
  const transport = checked.session?.transport ?? "cookie";
  return new Kit(service, sessions, chosenStore, {
    clock,
    hasMemoryStore: isMemoryStore(chosenStore),
    origins,
    checkHost,
    transactionCookies: {
      login: createCookie(`${name}-transaction`, secure),
      link: createCookie(`${name}-link-transaction`, secure),
      step_up: createCookie(`${name}-step-up-transaction`, secure),
      verify: createCookie(`${name}-verify-transaction`, secure),
    },
    deviceCookie: createCookie(`${name}-device`, secure),
    proofCookie: (audience) => createCookie(`${name}-${audience}-proof`, secure),
    login,
    waits: createStateWaits(checked.login?.maxWaits ?? 0),
    sessions,
    sessionSource: sessions && createKitSessions(sessions, clock, transport, options.session ?? {}),
    ...wireWebhooks(shared, options, checked, login, service?.messages),
  });
}

/** A class, for its private fields and getters: printing or copying the kit shows none of its parts. */
class Kit<User> implements Doorcode<User> {
  readonly #service: ServiceClient | undefined;
  readonly #sessions: Sessions<User> | undefined;
  readonly #store: Store;
  readonly #parts: DoorcodeParts;

  constructor(
    service: ServiceClient | undefined,
    sessions: Sessions<User> | undefined,
    store: Store,
    parts: DoorcodeParts,
  ) {
    this.#service = service;
    this.#sessions = sessions;
    this.#store = store;
    this.#parts = parts;
  }

  get messages(): KitMessages {
    const { messages } = configured(this.#service, "service");
    const { reconciler } = this.#parts;
    return { ...messages, reconcile: async (options) => configured(reconciler, "webhooks").reconcile(options) };
  }

  get verifications(): ServiceClient["verifications"] {
    return configured(this.#service, "service").verifications;
  }

  get session(): Sessions<User> {
    return configured(this.#sessions, "session");
  }

  get limits(): OperatorLimits {
    return configured(this.#parts.login, "login").operatorLimits;
  }

  get [doorcodeParts](): DoorcodeParts {
    return this.#parts;
  }

  get deadLetters(): DeadLetters {
    return requireInbox(this.#parts, "deadLetters").deadLetters;
  }

  async work(options?: WorkOptions): Promise<WebhookWorker> {
    return requireInbox(this.#parts, "work()").workers.start(options);
  }

  async close(): Promise<void> {
    this.#parts.waits.close();
    try {
      await this.#parts.regularReconciliation?.stop();
      await this.#parts.inbox?.workers.stop();
      await this.#parts.inbox?.inbox.close();
      await this.#store.close?.();
    } finally {
      await this.#service?.close();
    }
  }
}

function requireInbox({ inbox }: DoorcodeParts, member: string): InboxParts {
  if (inbox) return inbox;
  throw new TypeError(
    `doorcode.${member} needs webhooks: { inbox }: createBullInbox({ client }) of @doorcode/redis, or ` +
      "createPostgresInbox({ pool }) of @doorcode/postgres. Without an inbox, handlers run before a webhook is answered.",
  );
}

function configured<Part>(part: Part | undefined, option: string): Part {
  if (part === undefined) throw new TypeError(`createDoorcode was called without ${option}: add it to the options.`);
  return part;
}
