import type { Awaitable } from "./awaitable.ts";
import type { Clock } from "./clock.ts";
import type { DoorcodeEvent } from "./doorcode-event.ts";
import type { CodeStrategyFactory } from "./login/code-strategy.ts";
import type { Limits } from "./login/limits.ts";
import type { LoginCallbacks } from "./login/login.ts";
import type { ServiceOptions } from "./service/client.ts";
import type { Store } from "./store/store.ts";
import type { WebhookHandlers } from "./webhook/handlers.ts";
import type { Inbox } from "./webhook/inbox.ts";
import type { EventTransactions } from "./webhook/transactions.ts";

/** A secret from the environment; in a list the first is used and all are accepted, so that it can be rotated. */
export type Secret = string | undefined | readonly (string | undefined)[];

/** How people log in. */
export interface LoginOptions extends LoginCallbacks {
  /** ISO 3166 codes of the countries whose numbers may log in. There is no default: each one costs money to text. */
  readonly countries: readonly string[];
  /** Who owns the code: `serviceCodes({…})` or `appCodes({…})`. */
  readonly codes: CodeStrategyFactory;
  readonly limits?: Partial<Limits>;
  /** Keys for codes and number fingerprints, when `session` is left out; otherwise they come from its password. */
  readonly password?: Secret;
}

/** The kit's own sessions. Leave them out when the app has its own. */
export interface SessionOptions<User> {
  /** At least 32 characters. */
  readonly password: Secret;
  /** Default: 1,209,600 (14 days). */
  readonly lifetimeSeconds?: number;
  /** Loads the user of each guarded request; `undefined` or `null` ends the session. */
  readonly loadUser?: (userId: string) => Awaitable<User | null | undefined>;
  /** What a browser may see of the user. Nothing, unless this says so. */
  readonly publicUser?: (user: NoInfer<User>) => unknown;
}

/** The service's signed webhooks. */
export interface WebhookOptions<Scope = unknown> {
  /** The application's signing secret. */
  readonly secret: Secret;
  readonly on?: WebhookHandlers<NoInfer<Scope>>;
  /**
   * Keeps events before they are acknowledged, for `doorcode.work()` to handle. Without one the handlers run before the
   * answer, and the service sends again what they did not get done.
   */
  readonly inbox?: Inbox;
  /** How often a handler may fail on an event of the inbox before it becomes a dead letter. Default: 12. */
  readonly attempts?: number;
  /** The pause after the first of those failures; it doubles with each one, up to an hour. Default: 2. */
  readonly retrySeconds?: number;
  /** Runs each handler in the transaction that marks its event as handled. */
  readonly transactions?: EventTransactions<Scope>;
  /** How long a handler may take before its signal aborts. Default: 60. */
  readonly handlerSeconds?: number;
  /** How far a delivery's timestamp may be from the clock. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Default: 1,048,576. */
  readonly limitBytes?: number;
}

/** Everything that {@link createDoorcode} takes; each part is optional, and a part left out cannot be mounted. */
export interface DoorcodeOptions<User, Scope = unknown> {
  /** Names the cookies and the keys in the store. Default: `doorcode`. */
  readonly name?: string;
  /** The origins of the pages that log in, such as `https://app.example.com`. Required in production for a login. */
  readonly origins?: readonly string[];
  readonly service?: ServiceOptions;
  readonly login?: LoginOptions;
  readonly session?: SessionOptions<User>;
  readonly webhooks?: WebhookOptions<Scope>;
  /** Default: this process's memory, which is right for a single process. */
  readonly store?: Store;
  /** Told of everything that happens, without secrets, codes or full numbers. */
  readonly onEvent?: (event: DoorcodeEvent) => unknown;
  /** For tests. Default: the machine's clock. */
  readonly clock?: Clock;
}
