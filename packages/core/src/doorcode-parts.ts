import cluster from "node:cluster";
import { EventEmitter } from "node:events";
import { type CheckedOptions, checkOptions, refuseMissingVariables } from "./check-options.ts";
import { appCodes } from "./codes/app-codes.ts";
import type { CodeStrategy, CodeStrategyFactory, CodeTools, LoginCode } from "./codes/code-strategy.ts";
import { providerCodes } from "./codes/provider-codes.ts";
import { serviceCodes } from "./codes/service-codes.ts";
import { withSuppressedCodes } from "./codes/suppressed-codes.ts";
import { withTestNumbers } from "./codes/test-numbers.ts";
import type { LoginMountDeps } from "./http/login-mount.ts";
import { createStateWaits } from "./http/waits.ts";
import type { WebhookMountDeps } from "./http/webhook-mount.ts";
import { countUndelivered } from "./limits/after-sending.ts";
import { createCounters } from "./limits/counters.ts";
import { createOperatorLimits, type OperatorLimits } from "./limits/operator-limits.ts";
import type { LoginCallbacks } from "./login/callbacks.ts";
import type { LoginDeps } from "./login/login-deps.ts";
import { createLoginPublisher } from "./login/login-event.ts";
import { createTypedNumbers } from "./login/typed-number.ts";
import type { DoorcodeEvent, DoorcodeOptions, LoginOptions, SessionOptions, WebhookOptions } from "./options.ts";
import { offeredChannels } from "./phone/allowed-numbers.ts";
import { createServiceClient, type ServiceClient } from "./service/client.ts";
import { createRememberedBrowsers, type RememberedBrowsers } from "./sessions/remembered-browsers.ts";
import { createKitSessions, type SessionSource } from "./sessions/session-source.ts";
import { createSessions, type SessionDeps, type Sessions } from "./sessions/sessions.ts";
import { createCookie, createSealer, type KitCookie } from "./sessions/transport.ts";
import { createFailClosedStore } from "./store/checked-store.ts";
import { openFileStore } from "./store/file-store.ts";
import { createMemoryStore, isMemoryStore } from "./store/memory.ts";
import type { Store } from "./store/store.ts";
import type { Clock } from "./util/clock.ts";
import { createWarning, warn } from "./util/errors.ts";
import type { WithHeaders } from "./util/headers.ts";
import { deriveCodeKeys, derivePasswords } from "./util/keys.ts";
import { createHostCheck, decideOrigins, type Origins } from "./util/origin.ts";
import { createPublish, type Publish } from "./util/publish.ts";
import { appPassword, readSecrets, signingSecret } from "./util/secrets.ts";
import { createNumberProofs } from "./verify/number-proof.ts";
import type { CodeReport } from "./webhooks/entity-record.ts";
import type { EventDeps } from "./webhooks/handlers.ts";
import { createDeadLetters, type DeadLetters, type Inbox } from "./webhooks/inbox.ts";
import { createInboxReceiver, createReceiver } from "./webhooks/receiver.ts";
import { createReconcile, type Reconcile, reconcileRegularly } from "./webhooks/reconcile.ts";
import { importSigningSecrets } from "./webhooks/signature.ts";
import { createWorkers, type Workers } from "./webhooks/worker.ts";

/** The key of a kit's parts. It is a registered symbol, so that two copies of the package understand each other. */
export const doorcodeParts: unique symbol = Symbol.for("doorcode.parts") as never;

/** The parts of a kit, for adapters. An undefined part was not configured. */
export interface DoorcodeParts {
  /** The prefix of the kit's keys in the store. */
  readonly name: string;
  readonly clock: Clock;
  /** The store of the app, or the memory of this process. */
  readonly store: Store;
  readonly publish: Publish<DoorcodeEvent>;
  /** Calls a listener with every event of this kit, until the function that it returns is called. */
  readonly listen: (listener: Publish<DoorcodeEvent>) => () => void;
  /** What `doorcode.close()` waits for before it closes the store. */
  readonly beforeClose: Set<() => Promise<unknown>>;
  readonly hasMemoryStore: boolean;
  /** What every mount of a login has in common. */
  readonly mount: Pick<
    LoginMountDeps<unknown, unknown>,
    "origins" | "checkHost" | "cookies" | "deviceCookie" | "typedCookie" | "waits"
  >;
  /** Returns the cookie that keeps the proof of a `verify` in the browser that has confirmed it: each audience has one. */
  readonly proofCookie: (audience: string) => KitCookie;
  readonly service: ServiceClient | undefined;
  readonly login: LoginDeps | undefined;
  /** Undefined without a login. */
  readonly rememberedBrowsers: RememberedBrowsers | undefined;
  readonly operatorLimits: OperatorLimits | undefined;
  readonly sessions: Sessions<unknown> | undefined;
  readonly sessionSource: SessionSource<unknown, unknown> | undefined;
  readonly webhooks: WebhookParts | undefined;
}

/** The webhook parts of a kit. */
export interface WebhookParts {
  readonly mount: WebhookMountDeps;
  readonly inbox: InboxParts | undefined;
  /** Undefined without `service`. */
  readonly reconcile: Reconcile | undefined;
  /** Ends the regular reconciliation; `undefined` if there is none. */
  readonly stopReconciling: (() => Promise<void>) | undefined;
}

/** The parts that stand on an inbox. */
export interface InboxParts {
  readonly inbox: Inbox;
  readonly deadLetters: DeadLetters;
  readonly workers: Workers;
}

/** Returns the parts of a kit. @throws TypeError for anything that createDoorcode has not returned */
export function partsOf(doorcode: { readonly [doorcodeParts]: DoorcodeParts } | undefined): DoorcodeParts {
  const parts = doorcode?.[doorcodeParts];
  if (parts) return parts;
  throw new TypeError("A mount or a guard needs the return value of createDoorcode as its first argument.");
}

const memoryStoreFix =
  "createDoorcode was called without `store`: attempts, sessions and events are kept in the memory of this process, where " +
  'a restart loses them and other processes do not see them. Set store: "./doorcode.sqlite" and install @doorcode/sqlite; on ' +
  "several machines createRedisStore({ client }) of @doorcode/redis, or createPostgresStore({ pool }) of @doorcode/postgres. If " +
  "nothing need survive this process, pass createMemoryStore().";

const lostLoginFix =
  "A browser has a login that the memory store does not have: the app has restarted since, another process has started the login, or " +
  'it is older than an hour. With store: "./doorcode.sqlite" and the package @doorcode/sqlite, logins survive a restart, and all ' +
  "processes of the machine share them.";

interface SharedDeps {
  readonly name: string;
  readonly clock: Clock;
  readonly publish: Publish<DoorcodeEvent>;
  readonly store: Store;
  readonly hasMemoryStore: boolean;
  readonly changes: EventEmitter;
  readonly checkHost: (request: WithHeaders) => void;
  readonly serviceUrl: string | undefined;
}

/** Creates the parts of a kit: the one place where they meet. @throws TypeError for a missing or wrong option */
export function createParts<User, Scope>(options: DoorcodeOptions<User, Scope>): DoorcodeParts {
  refuseMissingVariables(options ?? {});
  const checked = checkOptions(options);
  const { name, clock } = checked;
  const production = process.env.NODE_ENV === "production";
  const needsOrigins = options.login !== undefined || options.session !== undefined;
  const { origins, secure } = decideOrigins(checked.origins, {
    production: needsOrigins && production,
    serviceUrl: options.service?.baseUrl,
  });
  const listeners = new Set<Publish<DoorcodeEvent>>();
  const publish = createPublish<DoorcodeEvent>(options.onEvent, listeners, { showsStacks: !(secure || production) });
  const store = openStore(options.store, { clock, name });
  // An app that passes a memory store has chosen it, for one process; a worker of a cluster is never the only one.
  const isUnsafe = cluster.isWorker ? isMemoryStore(store) : production && !options.store;
  if (isUnsafe) warn("memory_store", memoryStoreFix);
  const shared: SharedDeps = {
    name,
    clock,
    publish,
    store: createFailClosedStore(store, publish),
    hasMemoryStore: isMemoryStore(store),
    // Each waiting request is a listener, and `StateWaits` limits their number.
    changes: new EventEmitter().setMaxListeners(0),
    checkHost: createHostCheck(origins),
    serviceUrl: options.service?.baseUrl,
  };
  const cookie = (use: string) => createCookie(`${name}-${use}`, secure);
  const service = options.service && createServiceClient({ clock, ...options.service });
  const login = wireLogin(shared, options, checked, service);
  return {
    name,
    clock,
    store,
    publish,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    beforeClose: new Set(),
    hasMemoryStore: shared.hasMemoryStore,
    mount: wireMounts(shared, origins, cookie, checked.login?.maxWaits),
    proofCookie: (audience) => cookie(`${audience}-proof`),
    service,
    login,
    rememberedBrowsers: login && createRememberedBrowsers(login),
    operatorLimits: login && wireOperatorLimits(login),
    ...wireSessions(shared, options.session, checked.session, cookie("session")),
    webhooks: wireWebhooks(shared, options, checked.webhooks, login, service),
  };
}

function openStore(store: Store | string | undefined, memory: { readonly clock: Clock; readonly name: string }): Store {
  if (typeof store === "string") return openFileStore(store, memory.clock);
  return store ?? createMemoryStore(memory);
}

function wireMounts(
  { clock, changes, checkHost }: SharedDeps,
  origins: Origins,
  cookie: (use: string) => KitCookie,
  maxWaits = 0,
): DoorcodeParts["mount"] {
  return {
    origins,
    checkHost,
    // One for each purpose, so that a step-up does not end a login in another tab.
    cookies: {
      login: cookie("transaction"),
      link: cookie("link-transaction"),
      step_up: cookie("step-up-transaction"),
      verify: cookie("verify-transaction"),
    },
    deviceCookie: cookie("device"),
    typedCookie: cookie("typed"),
    waits: createStateWaits(clock, changes, maxWaits),
  };
}

function wireSessions<User>(
  shared: SharedDeps,
  options: SessionOptions<User> | undefined,
  checked: CheckedOptions["session"],
  cookie: KitCookie,
): Pick<DoorcodeParts, "sessions" | "sessionSource"> {
  if (!options || !checked) return { sessions: undefined, sessionSource: undefined };
  const passwords = readSecrets("createDoorcode", "session.password", appPassword, options.password, shared.serviceUrl);
  const sealer = createSealer(derivePasswords(passwords, "session"));
  const deps: SessionDeps<User> = { ...shared, ...checked, sealer, cookie, loadUser: options.loadUser };
  const sessions = createSessions(deps);
  return { sessions, sessionSource: createKitSessions(sessions, deps, options) };
}

function wireLogin<User>(
  shared: SharedDeps,
  { login, session }: Pick<DoorcodeOptions<User>, "login" | "session">,
  { origins: configured, login: checked }: CheckedOptions,
  service: ServiceClient | undefined,
): LoginDeps | undefined {
  if (!login || !checked) return undefined;
  const option = passwordOption(login.password !== undefined, session !== undefined);
  const password = login.password ?? session?.password;
  const passwords = readSecrets("createDoorcode", option, appPassword, password, shared.serviceUrl);
  const keys = deriveCodeKeys(passwords);
  // Without origins only this machine or its network is served: a developer who tries things is no attacker.
  const origins = configured === "private-network" ? undefined : configured;
  const mode = origins ? "enforce" : "observe";
  const limits = { ...checked.limits, mode: checked.limits.mode ?? mode };
  const { countries, beforeSendFails, suspicionAfterSeconds, testNumbers } = checked;
  const codes = createCodes(login.codes, { keys, clock: shared.clock, origins, countries }, service);
  const deps: LoginDeps = {
    ...shared,
    warnOfLostLogin: shared.hasMemoryStore ? createWarning("login_lost", lostLoginFix) : undefined,
    countries,
    beforeSendFails,
    suspicionAfterSeconds,
    counters: createCounters(shared),
    publishLogin: createLoginPublisher(shared.publish, keys),
    keys,
    proofs: createNumberProofs(derivePasswords(passwords, "number proof"), shared.clock, shared.name),
    typedNumbers: createTypedNumbers(derivePasswords(passwords, "typed number")),
    limits,
    codes,
    channels: offeredChannels(codes.channels, checked.numberTypes),
    callbacks: callbacksOf(login),
    suppresses: login.beforeSend !== undefined && checked.suppresses !== false,
  };
  const reportTestNumber = (code: LoginCode, step: "send" | "check") =>
    deps.publishLogin(code, { type: "login.test_number_used", step });
  const withTests = (owner: CodeStrategy) =>
    testNumbers ? withTestNumbers({ ...deps, codes: owner, onUsed: reportTestNumber }, testNumbers) : owner;
  return { ...deps, codes: login.beforeSend ? withSuppressedCodes(codes, shared.clock, withTests) : withTests(codes) };
}

function wireOperatorLimits(login: LoginDeps): OperatorLimits {
  const { codes } = login;
  // Of an ordinary number: a test number has its fixed code.
  const lengthensCodes = codes.lengthensCodes("");
  return createOperatorLimits({ ...login, minDigits: codes.digits.min, lengthensCodes });
}

/** A factory that was not called looks like its own result, because both are functions. */
const uncalledFactories: readonly unknown[] = [serviceCodes, appCodes, providerCodes];

function createCodes(
  factory: CodeStrategyFactory,
  tools: Omit<CodeTools, "service">,
  service: ServiceClient | undefined,
): CodeStrategy {
  if (uncalledFactories.includes(factory)) {
    throw new TypeError("createDoorcode: login.codes: call it, such as serviceCodes({ template }) or appCodes().");
  }
  const codes = factory({
    ...tools,
    // Codes of another provider need no service.
    get service() {
      if (service) return service;
      throw new TypeError("createDoorcode: login needs service: { baseUrl, apiKey } to send its codes.");
    },
  });
  if (typeof codes?.send === "function" && typeof codes.check === "function") return codes;
  throw new TypeError(
    "createDoorcode: login.codes: expected serviceCodes({ … }), appCodes({ … }) or providerCodes({ … }).",
  );
}

function passwordOption(hasLogins: boolean, hasSession: boolean): string {
  if (hasLogins) return "login.password";
  return hasSession ? "session.password" : "session.password (or login.password, with sessions of your own)";
}

/** Keeps the callbacks alone, bound to their `this`: the options around them hold secrets. */
function callbacksOf(login: LoginOptions): LoginCallbacks {
  return {
    ...(login.onLogin && { onLogin: login.onLogin.bind(login) }),
    ...(login.onSuspicion && { onSuspicion: login.onSuspicion.bind(login) }),
    ...(login.onLink && { onLink: login.onLink.bind(login) }),
    ...(login.onRemove && { onRemove: login.onRemove.bind(login) }),
    ...(login.phoneOf && { phoneOf: login.phoneOf.bind(login) }),
    ...(login.beforeSend && { beforeSend: login.beforeSend.bind(login) }),
  };
}

function wireWebhooks<User, Scope>(
  shared: SharedDeps,
  { webhooks, store }: DoorcodeOptions<User, Scope>,
  checked: CheckedOptions["webhooks"],
  login: LoginDeps | undefined,
  service: ServiceClient | undefined,
): WebhookParts | undefined {
  if (!webhooks || !checked) return undefined;
  const { handlerSeconds, toleranceSeconds, limitBytes, attempts, retrySeconds, reconcileEverySeconds } = checked;
  const { inbox } = webhooks;
  const { clock, publish } = shared;
  const secrets = readSecrets("createDoorcode", "webhooks.secret", signingSecret, webhooks.secret, shared.serviceUrl);
  refuseMissing(webhooks, store, service);
  const deps: EventDeps<Scope> = {
    ...shared,
    transactions: webhooks.transactions,
    // Copied, so that a handler which is added or replaced later changes nothing.
    handlers: { ...webhooks.on },
    handlerSeconds,
    onCodeReport: login && ((report) => reportCode(login, report)),
  };
  // With an inbox, only workers handle events.
  const receiver = inbox ? createInboxReceiver(inbox, shared) : createReceiver(deps);
  const reconcile = service && createReconcile(service.messages, receiver, shared);
  return {
    mount: { clock, publish, keys: importSigningSecrets(secrets), toleranceSeconds, limitBytes, receiver },
    reconcile,
    stopReconciling:
      reconcile && reconcileEverySeconds ? reconcileRegularly(shared, reconcile, reconcileEverySeconds) : undefined,
    inbox: inbox && {
      inbox,
      deadLetters: createDeadLetters(inbox),
      workers: createWorkers({ ...deps, inbox, attempts, retrySeconds }),
    },
  };
}

/** Publishes what became of a code. A login whose code reached nobody no longer counts as unconfirmed. */
async function reportCode(login: LoginDeps, report: CodeReport): Promise<void> {
  const { isDelivered, number, channel, deliverySeconds } = report;
  login.publish({
    type: isDelivered ? "login.code_delivered" : "login.code_undelivered",
    ...(number?.country !== undefined && { country: number.country }),
    ...(channel !== undefined && { channel }),
    ...(isDelivered && deliverySeconds !== undefined && { deliverySeconds }),
  });
  if (!isDelivered && number) await countUndelivered(login, number);
}

const sharedStoreFix =
  "one that every process shares, such as createRedisStore({ client }) or createPostgresStore({ pool })";

const serviceFix = "the service, which lists the messages: set service: { baseUrl, apiKey }, or leave the option out";

const sameStoreFix =
  "pass the one store to both, as in { store, webhooks: { transactions: createEventTransactions({ pool, store }) } }";

function refuseMissing<Scope>(
  { inbox, transactions, reconcileEverySeconds }: WebhookOptions<Scope>,
  store: Store | string | undefined,
  service: ServiceClient | undefined,
): void {
  // With the memory of one process, another process would handle the same event again.
  if (inbox && !store) throw new TypeError(`createDoorcode: webhooks.inbox needs a store: ${sharedStoreFix}.`);
  if (transactions && transactions.store !== store) {
    throw new TypeError(`createDoorcode: webhooks.transactions marks events in another store: ${sameStoreFix}.`);
  }
  if (reconcileEverySeconds !== undefined && !service) {
    throw new TypeError(`createDoorcode: webhooks.reconcileEverySeconds needs ${serviceFix}.`);
  }
}
