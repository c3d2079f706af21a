import { z } from "zod";
import { type Doorcode, type DoorcodeParts, doorcodeParts } from "./doorcode.ts";
import type { Mount, ProxySetting } from "./http/exchange.ts";
import {
  type Admission,
  type AppSessionGuardOptions,
  createGuard,
  type GuardedRequest,
  type GuardOptions,
} from "./http/guard.ts";
import { createLoginMount, type LoginMount } from "./http/login-mount.ts";
import { type FormPages, ownPage } from "./http/pages.ts";
import type { ProofOptions } from "./http/proof-source.ts";
import { createWebhookMount } from "./http/webhook-endpoint.ts";
import type { LoginDeps } from "./login/login-deps.ts";
import type { AppSession } from "./login/request-sessions.ts";
import { type Purpose, purposes } from "./login/transaction.ts";
import type { Awaitable } from "./primitives/awaitable.ts";
import type { WithHeaders } from "./primitives/headers.ts";
import { functionOption, parseOptions, strictOptions, wholeNumberOption } from "./primitives/parse-options.ts";
import type { RegisteredUser } from "./register.ts";
import {
  type AppSessions,
  createAppSessions,
  createNoSessions,
  readAppSession,
  type SessionSource,
} from "./session/session-source.ts";
import type { Session, Sessions } from "./session/sessions.ts";
import { transportShape } from "./session/transport.ts";

export type { Doorcode } from "./doorcode.ts";
export type { Body, HttpRequest, HttpResponse, Mount, ProxySetting } from "./http/exchange.ts";
export type { Admission, AppSessionGuardOptions, GuardedRequest, GuardOptions } from "./http/guard.ts";
export type { LoginMount } from "./http/login-mount.ts";
export type { LoginState } from "./http/login-state.ts";
export type { ProofOptions } from "./http/proof-source.ts";
export type { LoginOffer } from "./login/offer.ts";
export type { AppSession } from "./login/request-sessions.ts";
export type { Purpose } from "./login/transaction.ts";
export { DoorcodeError, isDoorcodeError } from "./primitives/errors.ts";
export type { RequestHeaders, WithHeaders } from "./primitives/headers.ts";
export type { RegisteredUser } from "./register.ts";
export type { AppLogin, AppSessionReader, AppSessions } from "./session/session-source.ts";
export type { Session } from "./session/sessions.ts";
export type { Transport } from "./session/transport.ts";

/** Options of `phoneLogin`. `RequestContext` is the framework's own request, which the app's sessions get. */
export interface PhoneLoginOptions<RequestContext extends ReadContext, ReadContext> {
  /** The purpose of the login. Default: `login`. */
  readonly purpose?: Purpose;
  /** The app's own sessions, instead of the kit's. */
  readonly session?: AppSessions<RequestContext, ReadContext>;
  /** The proofs of the purpose `verify`. */
  readonly proof?: ProofOptions<ReadContext>;
  /** The pages to which HTML forms are redirected. Default: `{ page: "/login", done: "/" }`. */
  readonly forms?: Partial<FormPages>;
  /** Whether GET `/openapi.json` below the mount describes its endpoints, to everybody. Default: false. */
  readonly openapi?: boolean;
  /** Returns what `login.beforeSend` gets as `signals`: what your app or its proxy knows of the request. */
  readonly signals?: (context: ReadContext) => Awaitable<unknown>;
}

const mountShape = strictOptions({
  purpose: z.enum(purposes, 'expected "login", "link", "step_up" or "verify"').default("login"),
  session: strictOptions({
    transport: transportShape.optional(),
    start: functionOption(),
    current: functionOption(),
    end: functionOption(),
  }).optional(),
  proof: strictOptions({
    lifetimeSeconds: wholeNumberOption(60, 3600).default(600),
    boundTo: functionOption().optional(),
  }).prefault({}),
  forms: strictOptions({ page: ownPage.default("/login"), done: ownPage.default("/") }).prefault({}),
  openapi: z.boolean("expected true or false").default(false),
  signals: functionOption().optional(),
});

const ofAnyFramework: ProxySetting<unknown> = {
  fix: "Set the framework's own option for proxies to the address of your proxy.",
  trustsEverybody: () => false,
};

/**
 * Creates the endpoints of a login, for a framework to mount. The kit stays unchanged, so it may have any number of
 * mounts.
 *
 * @param proxySetting - how the framework knows its proxies, for the warning `proxy_misconfigured`.
 * @throws TypeError for a wrong option, and if the kit was created without what the mount needs
 */
export function mountLogin<RequestContext extends ReadContext, ReadContext>(
  doorcode: Doorcode,
  options: PhoneLoginOptions<RequestContext, ReadContext> = {},
  proxySetting: ProxySetting<RequestContext> = ofAnyFramework,
): LoginMount<RequestContext, ReadContext> {
  const { purpose, forms, openapi, proof } = parseOptions("phoneLogin", mountShape, options);
  const parts = partsOf(doorcode);
  const { login, origins, checkHost, transactionCookies: cookies, deviceCookie, proofCookie, waits } = parts;
  if (!login) throw new TypeError("phoneLogin: createDoorcode was called without login: add it to the options.");
  requireCallback(login, purpose);
  if (options.signals && !login.callbacks.beforeSend) {
    throw new TypeError("phoneLogin: signals needs login.beforeSend, which gets them: add it to createDoorcode.");
  }
  checkProofOptions(purpose, options);
  const sessions =
    purpose === "verify"
      ? createNoSessions(parts.sessionSource?.transport ?? "cookie")
      : chooseSessions(options.session, parts);
  return createLoginMount({
    login,
    purpose,
    cookies,
    deviceCookie,
    proofCookie,
    proof: { ...options.proof, lifetimeSeconds: proof.lifetimeSeconds },
    origins,
    checkHost,
    sessions,
    waits,
    forms,
    proxySetting,
    signals: options.signals,
    // Loaded when somebody asks for it first.
    describe: openapi ? async () => (await import("./openapi/login-document.ts")).createLoginDocument() : undefined,
  });
}

function checkProofOptions(purpose: Purpose, { session, proof }: PhoneLoginOptions<never, never>): void {
  if (purpose === "verify" && session) {
    throw new TypeError(
      'phoneLogin: purpose "verify" starts no session: leave session out, or choose another purpose.',
    );
  }
  if (purpose !== "verify" && proof) {
    throw new TypeError('phoneLogin: proof is for purpose "verify": leave it out, or choose that purpose.');
  }
}

const twoSessionsFix =
  "both createDoorcode and these options have sessions: a login would start the one, and a guard ask the other. Leave " +
  "session out of createDoorcode to use the sessions of your app.";

function chooseSessions<RequestContext extends ReadContext, ReadContext>(
  app: AppSessions<RequestContext, ReadContext> | undefined,
  { sessionSource: kit, clock }: DoorcodeParts,
): SessionSource<RequestContext, ReadContext> {
  if (app && kit) throw new TypeError(`phoneLogin: ${twoSessionsFix}`);
  const sessions = app ? createAppSessions(app, clock) : kit;
  if (sessions) return sessions;
  throw new TypeError(
    "phoneLogin: there are no sessions: add session: { password } to createDoorcode, or pass your own to phoneLogin " +
      "as session: { start, current, end }.",
  );
}

/**
 * Creates the endpoint for the service's webhooks, for a framework to mount.
 *
 * @throws TypeError if the kit was created without webhooks
 */
export function mountWebhooks(doorcode: Doorcode): Mount<unknown> {
  const { webhooks } = partsOf(doorcode);
  if (!webhooks) throw new TypeError("webhooks: createDoorcode was called without webhooks: add it to the options.");
  return createWebhookMount(webhooks);
}

const appSessionShape = strictOptions({
  session: strictOptions({
    transport: transportShape.optional(),
    start: functionOption().optional(),
    current: functionOption(),
    end: functionOption().optional(),
  }),
});

/**
 * Creates the guard of routes that need a login: by the kit's sessions, or by the app's own if the options have them.
 *
 * @throws TypeError for a wrong option, if there are no sessions, and if both the kit and the options have some
 */
export function createLoginGuard<ReadContext>(
  doorcode: Doorcode,
  options: AppSessionGuardOptions<ReadContext>,
): (request: GuardedRequest, context: ReadContext) => Promise<Admission<AppSession>>;
export function createLoginGuard(
  doorcode: Doorcode,
  options?: GuardOptions,
): (request: GuardedRequest, context?: unknown) => Promise<Admission<Session<RegisteredUser>>>;
export function createLoginGuard<ReadContext>(
  doorcode: Doorcode,
  options?: GuardOptions | AppSessionGuardOptions<ReadContext>,
): (request: GuardedRequest, context: ReadContext) => Promise<Admission<Session<RegisteredUser> | AppSession>>;
export function createLoginGuard<ReadContext>(
  doorcode: Doorcode,
  { session, ...options }: GuardOptions | AppSessionGuardOptions<ReadContext> = {},
): (request: GuardedRequest, context: ReadContext) => Promise<Admission<AppSession>> {
  const { clock, checkHost, sessions, sessionSource } = partsOf(doorcode);
  if (session === undefined) {
    const { current } = sessions ?? noSessions("requireLogin");
    return createGuard({ current, transport: sessionSource?.transport ?? "cookie", clock }, options);
  }
  if (sessions) throw new TypeError(`requireLogin: ${twoSessionsFix}`);
  parseOptions("requireLogin", appSessionShape, { session });
  return createGuard(
    {
      async current(request, context: ReadContext) {
        checkHost(request);
        return readAppSession(session, context);
      },
      transport: session.transport ?? "cookie",
      clock,
    },
    options,
  );
}

/**
 * Reads the session of a request, for routes that are open to all; `undefined` if there is none.
 *
 * @throws TypeError if the kit has no sessions of its own
 * @throws DoorcodeError `store_unavailable`
 */
export function readSession(doorcode: Doorcode, request: WithHeaders): Promise<Session<RegisteredUser> | undefined> {
  const sessions = partsOf(doorcode).sessions ?? noSessions("getSession");
  return (sessions as Sessions<RegisteredUser>).current(request);
}

function partsOf(doorcode: Doorcode | undefined): DoorcodeParts {
  const parts = doorcode?.[doorcodeParts];
  if (parts) return parts;
  throw new TypeError("A mount or a guard needs the return value of createDoorcode as its first argument.");
}

const appSessionFixes = {
  requireLogin: "or give requireLogin the sessions of your app, as session: { current }",
  getSession: "or read the session of your app",
};

function noSessions(caller: keyof typeof appSessionFixes): never {
  throw new TypeError(`${caller}: createDoorcode was called without session: add it, ${appSessionFixes[caller]}.`);
}

function requireCallback({ callbacks }: LoginDeps, purpose: Purpose): void {
  // A link has to know whether the account has a number already.
  const needed: Readonly<Record<Purpose, readonly ("onLogin" | "onLink" | "phoneOf")[]>> = {
    login: ["onLogin"],
    link: ["onLink", "phoneOf"],
    step_up: ["phoneOf"],
    verify: [],
  };
  const callback = needed[purpose].find((name) => !callbacks[name]);
  if (callback === undefined) return;
  throw new TypeError(`phoneLogin: purpose "${purpose}" needs login.${callback}: add it to createDoorcode.`);
}
