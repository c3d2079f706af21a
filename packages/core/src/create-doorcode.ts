import { createParts, type DoorcodeParts, doorcodeParts, type InboxParts } from "./doorcode-parts.ts";
import type { OperatorLimits } from "./limits/operator-limits.ts";
import type { DoorcodeOptions } from "./options.ts";
import type { ServiceClient } from "./service/client.ts";
import type { Messages } from "./service/messages.ts";
import type { Sessions } from "./sessions/sessions.ts";
import type { DeadLetters } from "./webhooks/inbox.ts";
import type { ReconcileOptions, Reconciliation } from "./webhooks/reconcile.ts";
import type { WebhookWorker, WorkOptions } from "./webhooks/worker.ts";

/** The service's messages, and the reconciliation of what its webhooks did not bring. */
export interface KitMessages extends Messages {
  /**
   * Lists the messages of the service and receives each change since `since` as if its webhook had arrived: a change that was handled is
   * not handled again. This is for outages longer than the 72.5 minutes for which the service retries. It finds the last status of each
   * message that the service lists, unless that is still `QUEUED`, and no verifications, because no endpoint lists them.
   *
   * @throws TypeError for a wrong option; {@link DoorcodeError} as `messages.list` does; the reason of the signal if it aborts after the
   * list arrived.
   * @see `GET /messages` and "Retry schedule" of the specification
   */
  reconcile(options: ReconcileOptions): Promise<Reconciliation>;
}

/** The kit. Adapters mount it; its members serve code that has no request. */
export interface Doorcode<User = unknown> {
  /** The service's messages. @throws TypeError if `service` was not configured; `reconcile` also without `webhooks`. */
  readonly messages: KitMessages;
  /** The service's verifications. @throws TypeError if `service` was not configured. */
  readonly verifications: ServiceClient["verifications"];
  /** The kit's own sessions. @throws TypeError if `session` was not configured. */
  readonly session: Sessions<User>;
  /**
   * Forgets the browsers in which a user need not prove the number again (`rememberSeconds` of a step-up): each one asks for it the next
   * time. A logout everywhere of the kit's sessions does so too; with sessions of your own, call this there.
   *
   * @throws TypeError if `login` was not configured; DoorcodeError `store_unavailable`
   */
  forgetBrowsers(userId: string): Promise<void>;
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
   * Answers the requests that wait for a change, stops the reconciliations and the workers, waits up to 30 seconds for running webhook
   * handlers, and closes the inbox, the store and the connections to the service, so that the server and the process can end. What the app
   * gave the kit, such as a Redis client or a pool, stays open. If one of them cannot be closed, the others are, and `close` rejects with
   * the first error. Webhooks that arrive meanwhile get 503 unless an inbox stores them: the service sends them again.
   */
  close(): Promise<void>;
  readonly [doorcodeParts]: DoorcodeParts;
}

/**
 * Registers the type of your users, so that `req.doorcode.user` has it.
 *
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * export const doorcode = createDoorcode({
 *   service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
 *   session: { password: process.env.SESSION_PASSWORD, loadUser: (id) => ({ id, name: "Ada" }) },
 * });
 * declare module "@doorcode/core" {
 *   interface Register {
 *     doorcode: typeof doorcode;
 *   }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: apps add their member
export interface Register {}

/** The type of the app's users; `unknown` until the app extends {@link Register}. */
export type RegisteredUser = Register extends { readonly doorcode: Doorcode<infer User> } ? User : unknown;

/**
 * Creates the kit from its options.
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
  return new Kit(createParts(options));
}

/** A class, for its private field and getters: printing or copying the kit shows none of its parts. */
class Kit<User> implements Doorcode<User> {
  readonly #parts: DoorcodeParts;

  constructor(parts: DoorcodeParts) {
    this.#parts = parts;
  }

  get messages(): KitMessages {
    const { messages } = configured(this.#parts.service, "service");
    const { webhooks } = this.#parts;
    return {
      ...messages,
      reconcile: async (options) => configured(webhooks?.reconcile, "webhooks")(options),
    };
  }

  get verifications(): ServiceClient["verifications"] {
    return configured(this.#parts.service, "service").verifications;
  }

  get session(): Sessions<User> {
    return configured(this.#parts.sessions, "session") as Sessions<User>;
  }

  get limits(): OperatorLimits {
    return configured(this.#parts.operatorLimits, "login");
  }

  get deadLetters(): DeadLetters {
    return requireInbox(this.#parts, "deadLetters").deadLetters;
  }

  get [doorcodeParts](): DoorcodeParts {
    return this.#parts;
  }

  async forgetBrowsers(userId: string): Promise<void> {
    await configured(this.#parts.rememberedBrowsers, "login").forget(userId);
  }

  async work(options?: WorkOptions): Promise<WebhookWorker> {
    return requireInbox(this.#parts, "work()").workers.start(options);
  }

  async close(): Promise<void> {
    const { mount, webhooks, store, service, beforeClose } = this.#parts;
    mount.waits.close();
    const steps = [
      () => webhooks?.stopReconciling?.(),
      // The end of a handler must be stored, or another process runs it again.
      () => webhooks?.mount.receiver.close(),
      () => webhooks?.inbox?.workers.stop(),
      () => webhooks?.inbox?.inbox.close(),
      ...beforeClose,
      () => store.close?.(),
      () => service?.close(),
    ];
    // One step after the other, and every one of them: what stays open would keep the process running.
    const failures: unknown[] = [];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

function requireInbox({ webhooks }: DoorcodeParts, member: string): InboxParts {
  if (webhooks?.inbox) return webhooks.inbox;
  throw new TypeError(
    `doorcode.${member} needs webhooks: { inbox }: createBullInbox({ client }) of @doorcode/redis, ` +
      "createPostgresInbox({ pool }) of @doorcode/postgres, or createSqliteInbox({ file }) of @doorcode/sqlite. Without an inbox, handlers run before a webhook is answered.",
  );
}

function configured<Part>(part: Part | undefined, option: string): Part {
  if (part === undefined) throw new TypeError(`createDoorcode was called without ${option}: add it to the options.`);
  return part;
}
