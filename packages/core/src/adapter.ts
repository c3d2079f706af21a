import { z } from "zod";
import { type Doorcode, type DoorcodeParts, doorcodeParts } from "./doorcode.ts";
import type { Mount, ProxySetting } from "./http/exchange.ts";
import { type Admission, createGuard, type GuardedRequest, type GuardOptions } from "./http/guard.ts";
import { createLoginMount, type LoginMount } from "./http/login-mount.ts";
import { type FormPages, ownPage } from "./http/pages.ts";
import type { ProofOptions } from "./http/proof-source.ts";
import { createWebhookMount } from "./http/webhook-endpoint.ts";
import type { LoginDeps } from "./login/login-deps.ts";
import { type Purpose, purposes } from "./login/transaction.ts";
import type { Awaitable } from "./primitives/awaitable.ts";
import type { WithHeaders } from "./primitives/headers.ts";
import { functionOption, parseOptions, strictOptions, wholeNumberOption } from "./primitives/parse-options.ts";
import type { RegisteredUser } from "./register.ts";
import { type AppSessions, createAppSessions, createNoSessions, type SessionSource } from "./session/session-source.ts";
import type { Session, Sessions } from "./session/sessions.ts";
import { transportShape } from "./session/transport.ts";

export type { Doorcode } from "./doorcode.ts";
export type { Body, HttpRequest, HttpResponse, Mount, ProxySetting } from "./http/exchange.ts";
export type { Admission, GuardedRequest, GuardOptions } from "./http/guard.ts";
export type { LoginMount } from "./http/login-mount.ts";
export type { LoginState } from "./http/login-state.ts";
export type { ProofOptions } from "./http/proof-source.ts";
export type { LoginOffer } from "./login/offer.ts";
export type { Purpose } from "./login/transaction.ts";
export { DoorcodeError, isDoorcodeError } from "./primitives/errors.ts";
export type { RequestHeaders, WithHeaders } from "./primitives/headers.ts";
export type { RegisteredUser } from "./register.ts";
export type { AppSessions } from "./session/session-source.ts";
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
  const {
    login,
    origins,
    checkHost,
    transactionCookies: cookies,
    deviceCookie,
    proofCookie,
    sessionSource,
    waits,
  } = partsOf(doorcode);
  if (!login) throw new TypeError("phoneLogin: createDoorcode was called without login: add it to the options.");
  requireCallback(login, purpose);
  if (options.signals && !login.callbacks.beforeSend) {
    throw new TypeError("phoneLogin: signals needs login.beforeSend, which gets them: add it to createDoorcode.");
  }
  checkProofOptions(purpose, options);
  const sessions =
    purpose === "verify"
      ? createNoSessions(sessionSource?.transport ?? "cookie")
      : chooseSessions(options.session, sessionSource);
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

function chooseSessions<RequestContext extends ReadContext, ReadContext>(
  app: AppSessions<RequestContext, ReadContext> | undefined,
  kit: SessionSource<unknown, unknown> | undefined,
): SessionSource<RequestContext, ReadContext> {
  if (app && kit) {
    throw new TypeError(
      "phoneLogin: both createDoorcode and the mount have sessions: a login would start the mount's, and " +
        "requireLogin would ask createDoorcode's. Leave session out of createDoorcode.",
    );
  }
  const sessions = app ? createAppSessions(app) : kit;
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

/**
 * Creates the guard of routes that need a login.
 *
 * @throws TypeError for a wrong option, and if the kit has no sessions of its own: an app that has them guards with them
 */
export function createLoginGuard(
  doorcode: Doorcode,
  options: GuardOptions = {},
): (request: GuardedRequest) => Promise<Admission<RegisteredUser>> {
  const sessions = ownSessions(doorcode, "requireLogin");
  const { clock, sessionSource } = partsOf(doorcode);
  return createGuard({ sessions, transport: sessionSource?.transport ?? "cookie", clock }, options);
}

/**
 * Reads the session of a request, for routes that are open to all; `undefined` if there is none.
 *
 * @throws TypeError if the kit has no sessions of its own
 * @throws DoorcodeError `store_unavailable`
 */
export function readSession(doorcode: Doorcode, request: WithHeaders): Promise<Session<RegisteredUser> | undefined> {
  return ownSessions(doorcode, "getSession").current(request);
}

function partsOf(doorcode: Doorcode | undefined): DoorcodeParts {
  const parts = doorcode?.[doorcodeParts];
  if (parts) return parts;
  throw new TypeError("A mount or a guard needs the return value of createDoorcode as its first argument.");
}

function ownSessions(doorcode: Doorcode, caller: string): Sessions<RegisteredUser> {
  const { sessions } = partsOf(doorcode);
  if (sessions) return sessions as Sessions<RegisteredUser>;
  throw new TypeError(`${caller}: createDoorcode was called without session: add it, or use the sessions of your app.`);
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
