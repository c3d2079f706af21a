import type { CodeStrategyFactory } from "./codes/code-strategy.ts";
import type { TestNumbers } from "./codes/test-numbers.ts";
import type { LoginLimits } from "./limits/login-limits.ts";
import type { LoginCallbacks } from "./login/callbacks.ts";
import type { LoginEvent } from "./login/login-event.ts";
import type { NumberTypesByChannel } from "./phone/allowed-numbers.ts";
import type { Country } from "./phone/phone-number.ts";
import type { ServiceOptions } from "./service/client.ts";
import type { SessionView } from "./sessions/session-source.ts";
import type { Transport } from "./sessions/transport.ts";
import type { StoreEvent } from "./store/checked-store.ts";
import type { Store } from "./store/store.ts";
import type { Clock } from "./util/clock.ts";
import type { OriginsOption } from "./util/origin.ts";
import type { Secret } from "./util/secrets.ts";
import type { WebhookDeliveryEvent } from "./webhooks/delivery-event.ts";
import type { EventTransactions, WebhookHandlers } from "./webhooks/handlers.ts";
import type { Inbox } from "./webhooks/inbox.ts";

/**
 * An event of the kit, as `onEvent` and the diagnostics channel `doorcode` receive it. The kit puts no secret, no code and no full phone
 * number into an event. An `error` that a callback of the app threw is passed on unchanged.
 */
export type DoorcodeEvent = LoginEvent | WebhookDeliveryEvent | StoreEvent | OperatorEvent;

/** What a person did on the operator's page of `@doorcode/operations`. */
export interface OperatorEvent {
  readonly type: "operator.acted";
  /** The person, as the app names them. */
  readonly operator: string;
  /** What was done, such as `replay`, and to what. */
  readonly action: string;
  readonly target?: string;
  /** `unchanged` if there was nothing to do, such as for the second of two clicks. */
  readonly outcome: "done" | "unchanged" | "failed";
  /** The outcome in a sentence, as the page says it: how many were handled, until when. */
  readonly text: string;
  readonly error?: unknown;
}

/** Options of the limits of a login. Zero means zero: no cooldown, or not a single send. */
export interface LimitOptions extends Partial<Omit<LoginLimits, "cooldownSeconds" | "checkPauseSeconds" | "prices">> {
  /** One pause for all codes, or a list of them. Default: `[30, 60, 120, 300]`. */
  readonly cooldownSeconds?: number | readonly number[];
  /** One pause after each code that was tried, or a list of them. Default: `[0, 0, 60, 120]`. */
  readonly checkPauseSeconds?: number | readonly number[];
  /** The price of a code by ISO 3166 country, and that of all `other` countries. `costPerDay` needs it. */
  readonly prices?: Readonly<Partial<Record<Country | "other", number>>>;
}

/** Options of the login. */
export interface LoginOptions extends LoginCallbacks {
  /**
   * ISO 3166 codes of the countries whose numbers may log in, or `"any"` for all of them. There is no default: texts to
   * each country cost money. A calling code is no country: `["GB"]` refuses the numbers of Jersey, which begin with +44 too.
   */
  readonly countries: readonly Country[] | "any";
  /** The owner of the code: `serviceCodes({…})`, `appCodes({…})` or `providerCodes({…})`. */
  readonly codes: CodeStrategyFactory;
  /**
   * The types of numbers that each channel takes. Default: `MOBILE`, and `FIXED_LINE` too for `VOICE`. Both include numbers
   * of plans that do not tell one from the other, such as that of the USA. `VOIP` and `TOLL_FREE` have to be listed.
   */
  readonly numberTypes?: NumberTypesByChannel;
  /** Numbers that log in with a code of their own until a given day, for people who review the app. Default: none. */
  readonly testNumbers?: TestNumbers;
  /** Limits that slow attackers down. */
  readonly limits?: LimitOptions;
  /**
   * Whether a code is refused or sent when `beforeSend` throws, or has not answered after 3 seconds. Default: `closed`, which
   * answers 503 `send_undecided`. A limit that refuses the code does so in both cases.
   */
  readonly beforeSendFails?: "closed" | "open";
  /**
   * Whether `beforeSend` may answer `"suppress"` or `{ trust: "suppress" }`. Default: true, and the state then shows no
   * `delivery`, which a suppressed code does not have. With `false` it shows it, and those two answers are mistakes.
   */
  readonly suppresses?: boolean;
  /**
   * The maximum number of requests that wait for a change of their login, in this process. One more is answered immediately, and
   * asks again after 5 seconds. Each one holds a connection. 0 answers all of them immediately, for hosts that bill the time of a request.
   * Default: 2,000.
   */
  readonly maxWaits?: number;
  /** The time without a proof after which `onSuspicion` is asked, up to 34,560,000. Default: 15,552,000 (180 days). */
  readonly suspicionAfterSeconds?: number;
  /** The password of the keys for codes and number fingerprints. Default: the password of `session`. */
  readonly password?: Secret;
}

/** Options of the kit's own sessions. Leave them out if the app has sessions already. */
export interface SessionOptions<User> extends SessionView<User> {
  /** The password that seals cookies: at least 32 characters. */
  readonly password: Secret;
  /**
   * How logins and sessions travel. `cookie`: in cookies that scripts cannot read. `bearer`: as tokens in JSON, for apps on phones; a
   * script of a page can read them. `both`: in cookies, and as tokens to a client that asks for them and is no page of a website.
   * Default: `cookie`.
   */
  readonly transport?: Transport;
  /** The lifetime of a session. Default: 1,209,600 (14 days). */
  readonly lifetimeSeconds?: number;
  /** The time without a request after which a session ends, to a minute; at least 120. Default: none. */
  readonly idleSeconds?: number;
}

/** Options of the service's signed webhooks. */
export interface WebhookOptions<Scope = unknown> {
  /**
   * The application's signing secret; a list of the new one and the old one while it is being regenerated. Both may report on
   * every message and verification, so give each application a kit with its own `name` and mount.
   */
  readonly secret: Secret;
  /** The handlers by kind of event. */
  readonly on?: WebhookHandlers<NoInfer<Scope>>;
  /**
   * Stores events before they are acknowledged, for `doorcode.work()` to handle. Default: none; handlers run before the
   * answer, and the service sends again what they did not complete.
   */
  readonly inbox?: Inbox;
  /** How often a handler may fail on an event of the inbox before the event becomes a dead letter. Default: 12. */
  readonly attempts?: number;
  /** The pause after the first of those failures. It doubles with each failure, up to an hour. Default: 2. */
  readonly retrySeconds?: number;
  /** Runs each handler in the database transaction that marks its event as handled. */
  readonly transactions?: EventTransactions<Scope>;
  /** The time that a handler may take before its signal aborts. Default: 60. */
  readonly handlerSeconds?: number;
  /** The maximum distance between a delivery's timestamp and the clock. Default: 300. */
  readonly toleranceSeconds?: number;
  /** The maximum size of a body, in bytes. Default: 65,536. */
  readonly limitBytes?: number;
  /**
   * Calls `doorcode.messages.reconcile` once in each period of that many seconds, from 60 to 86,400, in one of all processes, so that
   * a lost webhook is found. Requires `service`. Default: never.
   */
  readonly reconcileEverySeconds?: number;
}

/** Options of `createDoorcode`. Each part is optional; a part that is left out cannot be mounted. */
export interface DoorcodeOptions<User, Scope = unknown> {
  /** The prefix of the cookies and of the keys in the store. Default: `doorcode`. */
  readonly name?: string;
  /**
   * The origins of the pages that log in, such as `https://app.example.com`, also those inside apps, such as `capacitor://localhost`.
   * Default: any page of this machine; a request to any other host is then refused, and `NODE_ENV=production` stops at start.
   * `private-network` serves private addresses and `.local` names besides, for a phone that tries the app of a developer's machine;
   * `NODE_ENV=production` refuses it.
   */
  readonly origins?: OriginsOption;
  /** The service's URL and API key. */
  readonly service?: ServiceOptions;
  /** The login. Requires `service`, unless another provider or the app sends the codes. */
  readonly login?: LoginOptions;
  /** The kit's own sessions. */
  readonly session?: SessionOptions<User>;
  /** The service's webhooks. */
  readonly webhooks?: WebhookOptions<Scope>;
  /**
   * The store, or the path of a file, such as `"./doorcode.sqlite"`, for an app on one machine: the package `@doorcode/sqlite` opens it. It
   * ends in `.sqlite`, `.sqlite3` or `.db`.
   * Default: the memory of this process, which a restart loses, and which other processes do not see.
   */
  readonly store?: Store | string;
  /** Receives every event of the kit. Events hold no secrets, codes or full phone numbers. */
  readonly onEvent?: (event: DoorcodeEvent) => unknown;
  /** The clock, for tests. Default: the machine's clock. */
  readonly clock?: Clock;
}
