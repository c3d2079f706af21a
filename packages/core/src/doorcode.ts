import { type CheckedOptions, checkOptions, decideOrigins, readSecret, type SecretKind } from "./check-options.ts";
import { type Clock, systemClock } from "./clock.ts";
import { createPublish, type Publish } from "./doorcode-event.ts";
import { createCookie, type KitCookie } from "./http/cookies.ts";
import type { LoginState } from "./http/login-state.ts";
import type { Origins } from "./http/same-origin.ts";
import type { WebhookMountParts } from "./http/webhook-endpoint.ts";
import { deriveCodeKeys, deriveSessionPasswords } from "./keys.ts";
import { appCodes } from "./login/app-codes.ts";
import { createBudgets } from "./login/limits.ts";
import type { LoginCallbacks, LoginParts } from "./login/login.ts";
import { serviceCodes } from "./login/service-codes.ts";
import { createTransactions, type Purpose } from "./login/transaction.ts";
import type { DoorcodeOptions, LoginOptions } from "./options.ts";
import { createServiceClient, type ServiceClient } from "./service/client.ts";
import type { Messages } from "./service/messages.ts";
import { createKitSessions, type SessionSource } from "./session/session-source.ts";
import { createSessions, type Sessions, type WithHeaders } from "./session/sessions.ts";
import type { SharedParts } from "./shared-parts.ts";
import { createFailClosedStore } from "./store/fail-closed.ts";
import { createMemoryStore } from "./store/memory.ts";
import type { WebhookDesk } from "./webhook/dead-letter.ts";
import { createReconciler, type Reconciler } from "./webhook/reconcile.ts";
import type { WebhookWorker, WorkOptions } from "./webhook/workers.ts";
import { createWebhooks, type InboxParts } from "./webhook-parts.ts";

/** Where adapters find the parts; a registered symbol, so that two copies of the package understand each other. */
export const doorcodeParts: unique symbol = Symbol.for("doorcode.parts") as never;

/** The parts of a kit, for adapters. An undefined part was not configured. */
export interface DoorcodeParts {
  readonly clock: Clock;
  readonly publish: Publish;
  readonly origins: Origins;
  /** One for each purpose, so that a step-up does not end a login under way in another tab. */
  readonly transactionCookies: Readonly<Record<Purpose, KitCookie>>;
  readonly login: LoginParts | undefined;
  readonly sessions: Sessions<unknown> | undefined;
  readonly sessionSource: SessionSource<unknown, unknown> | undefined;
  readonly webhooks: WebhookMountParts | undefined;
  readonly inbox: InboxParts | undefined;
  /** The logins mounted so far, for pages that ask where they stand. */
  readonly loginReaders: Map<Purpose, (request: WithHeaders, reading: unknown) => Promise<LoginState>>;
  /** Run by {@link Doorcode.close}. */
  readonly closing: Set<() => void>;
}

/** The service's messages, and what webhooks did not tell of them. */
export interface KitMessages extends Messages, Reconciler {}

/** The kit, wired. Adapters mount it; its members serve code that has no request. */
export interface Doorcode<User = unknown> {
  /** The service's messages. @throws TypeError when `service` was not configured; `reconcile` also without `webhooks`. */
  readonly messages: KitMessages;
  /** The service's verifications. @throws TypeError when `service` was not configured. */
  readonly verifications: ServiceClient["verifications"];
  /** The kit's own sessions. @throws TypeError when `session` was not configured. */
  readonly session: Sessions<User>;
  /** The inbox of webhooks. @throws TypeError when `webhooks.inbox` was not configured. */
  readonly webhooks: WebhookDesk;
  /**
   * Handles the webhooks of the inbox in this process, until it is stopped. Any number of processes may do so, beside the
   * ones that mount `webhooks(doorcode)` or in them; one that only works needs no framework and no login.
   *
   * @throws TypeError when `webhooks.inbox` was not configured, or for a wrong option.
   */
  work(options?: WorkOptions): Promise<WebhookWorker>;
  /** Stops workers, and ends event streams, inbox and connections to the service, so that the process can end. */
  close(): Promise<void>;
  readonly [doorcodeParts]: DoorcodeParts;
}

/**
 * Creates the kit from its options. This is the one place where its parts meet.
 *
 * @throws TypeError for a missing or wrong option, naming it, what was expected, and the variable to set.
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
  const needsOrigins = options.login !== undefined || options.session !== undefined;
  const { origins, secure } = decideOrigins(checked.origins, needsOrigins && process.env.NODE_ENV === "production");
  const clock = options.clock ?? systemClock;
  const publish = createPublish(options.onEvent);
  const store = createFailClosedStore(options.store ?? createMemoryStore({ clock, name }), publish);
  const shared: SharedParts = { name, clock, publish, store };

  const service = options.service && createServiceClient({ clock, ...options.service });
  const sessions = createOwnSessions(shared, options, checked, createCookie(`${name}-session`, secure));
  return new Kit(service, sessions, {
    clock,
    publish,
    origins,
    transactionCookies: {
      login: createCookie(`${name}-transaction`, secure),
      link: createCookie(`${name}-link-transaction`, secure),
      step_up: createCookie(`${name}-step-up-transaction`, secure),
    },
    login: createLogin(shared, options, checked, service),
    sessions,
    sessionSource: sessions && createKitSessions(sessions, clock, options.session ?? {}),
    ...createWebhooks(shared, options, checked),
    loginReaders: new Map(),
    closing: new Set(),
  });
}

/** A class for its private fields and its getters: printing or copying the kit shows no part of it. */
class Kit<User> implements Doorcode<User> {
  readonly #service: ServiceClient | undefined;
  readonly #sessions: Sessions<User> | undefined;
  readonly #parts: DoorcodeParts;

  constructor(service: ServiceClient | undefined, sessions: Sessions<User> | undefined, parts: DoorcodeParts) {
    this.#service = service;
    this.#sessions = sessions;
    this.#parts = parts;
  }

  get messages(): KitMessages {
    const { messages } = configured(this.#service, "service");
    const { webhooks, clock } = this.#parts;
    return {
      ...messages,
      reconcile: async (options) =>
        createReconciler(messages, configured(webhooks, "webhooks").receiver, clock).reconcile(options),
    };
  }

  get verifications(): ServiceClient["verifications"] {
    return configured(this.#service, "service").verifications;
  }

  get session(): Sessions<User> {
    return configured(this.#sessions, "session");
  }

  get [doorcodeParts](): DoorcodeParts {
    return this.#parts;
  }

  get webhooks(): WebhookDesk {
    return requireInbox(this.#parts, "webhooks").desk;
  }

  async work(options?: WorkOptions): Promise<WebhookWorker> {
    return requireInbox(this.#parts, "work()").workers.start(options);
  }

  async close(): Promise<void> {
    for (const close of this.#parts.closing) close();
    try {
      await this.#parts.inbox?.workers.stop();
      await this.#parts.inbox?.inbox.close();
    } finally {
      await this.#service?.close();
    }
  }
}

const appPassword: SecretKind = {
  fewestCharacters: 32,
  fix: "set SESSION_PASSWORD to at least 32 random characters, such as `openssl rand -base64 32` prints",
};

function createOwnSessions<User>(
  shared: SharedParts,
  { session }: Pick<DoorcodeOptions<User>, "session">,
  checked: CheckedOptions,
  cookie: KitCookie,
): Sessions<User> | undefined {
  if (!session || !checked.session) return undefined;
  const passwords = readSecret("session.password", appPassword, session.password);
  return createSessions<User>({
    ...shared,
    cookie,
    passwords: deriveSessionPasswords(passwords),
    lifetimeSeconds: checked.session.lifetimeSeconds,
    loadUser: session.loadUser,
  });
}

/** Functions like what they return, so only a look at them tells that the call was forgotten. */
const uncalled: readonly unknown[] = [serviceCodes, appCodes];

function createLogin<User>(
  shared: SharedParts,
  { login, session }: Pick<DoorcodeOptions<User>, "login" | "session">,
  checked: CheckedOptions,
  service: ServiceClient | undefined,
): LoginParts | undefined {
  if (!login || !checked.login) return undefined;
  if (!service) throw new TypeError("createDoorcode: login needs service: { baseUrl, apiKey } to send its codes.");
  const option = login.password === undefined && session ? "session.password" : "login.password";
  const password = login.password ?? session?.password;
  const keys = deriveCodeKeys(readSecret(option, appPassword, password));
  const { limits, countries } = checked.login;
  if (uncalled.includes(login.codes)) {
    throw new TypeError("createDoorcode: login.codes: call it: serviceCodes({ template }) or appCodes().");
  }
  return {
    ...shared,
    keys,
    transactions: createTransactions(shared),
    budgets: createBudgets(shared.name, limits),
    cooldownSeconds: limits.cooldownSeconds,
    codes: login.codes({ verifications: service.verifications, keys, clock: shared.clock }),
    countries,
    callbacks: callbacksOf(login),
  };
}

/** The callbacks alone, with their `this`: the options around them hold secrets. */
function callbacksOf(login: LoginOptions): LoginCallbacks {
  return {
    ...(login.onLogin && { onLogin: login.onLogin.bind(login) }),
    ...(login.onLink && { onLink: login.onLink.bind(login) }),
    ...(login.phoneOf && { phoneOf: login.phoneOf.bind(login) }),
  };
}

function requireInbox({ inbox }: DoorcodeParts, asker: string): InboxParts {
  if (inbox) return inbox;
  throw new TypeError(
    `doorcode.${asker} needs webhooks: { inbox }: createBullInbox({ client }) of @doorcode/redis, or ` +
      "createPostgresInbox({ pool }) of @doorcode/postgres. Without one, webhooks are handled before they are answered.",
  );
}

function configured<Part>(part: Part | undefined, option: string): Part {
  if (part === undefined) throw new TypeError(`createDoorcode was called without ${option}: add it to the options.`);
  return part;
}
