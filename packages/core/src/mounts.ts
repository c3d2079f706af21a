import { z } from "zod";
import { type Purpose, purposes } from "./codes/code-strategy.ts";
import type { Doorcode, RegisteredUser } from "./create-doorcode.ts";
import { type DoorcodeParts, partsOf } from "./doorcode-parts.ts";
import { type FormPages, type LoginPage, ownPage } from "./http/answers.ts";
import type { Mount } from "./http/exchange.ts";
import {
  type AppSessionGuardOptions,
  createGuard,
  type GuardedRequest,
  type GuardOptions,
  type GuardResult,
} from "./http/guard.ts";
import { createLoginMount, type LoginMount } from "./http/login-mount.ts";
import type { ProofOptions } from "./http/request-proofs.ts";
import { createWebhookMount } from "./http/webhook-mount.ts";
import type { AppSession } from "./login/account.ts";
import type { LoginDeps } from "./login/login-deps.ts";
import { maxRememberSeconds } from "./sessions/remembered-browsers.ts";
import {
  type AppSessions,
  createAppSessions,
  createNoSessions,
  readAppSession,
  type SessionSource,
} from "./sessions/session-source.ts";
import type { Session, Sessions } from "./sessions/sessions.ts";
import { type Transport, transportShape } from "./sessions/transport.ts";
import type { Awaitable } from "./util/call-app.ts";
import type { ProxySetting } from "./util/client.ts";
import type { WithHeaders } from "./util/headers.ts";
import { functionOption, objectOption, parseOptions, strictOptions, wholeNumberOption } from "./util/parse-options.ts";
import { audienceOption } from "./verify/number-proof.ts";

/** Options of `phoneLogin`. `RequestContext` is the framework's own request, which the app's sessions get. */
export interface PhoneLoginOptions<RequestContext extends ReadContext, ReadContext> {
  /** The purpose of the login. Default: `login`. */
  readonly purpose?: Purpose;
  /** The app's own sessions, instead of the kit's. */
  readonly session?: AppSessions<RequestContext, ReadContext>;
  /**
   * For the purpose `step_up`: the time, from 60 to 2,592,000 seconds (30 days), for which a browser is remembered whose person chooses so.
   * Guards with `orRemembered` let it pass without a further proof. Default: no browser is remembered.
   */
  readonly rememberSeconds?: number;
  /** The proofs of the purpose `verify`. */
  readonly proof?: ProofOptions<ReadContext>;
  /** The page of the login, which the mount then serves at its own path: `loginPage({ … })` of `@doorcode/browser/server`. */
  readonly page?: LoginPage;
  /** The pages of HTML forms. Default: `{ page: "/login", done: "/" }`; with `page` the mount's path, and its `done`. */
  readonly forms?: Partial<FormPages>;
  /** Whether GET `/openapi.json` below the mount describes its endpoints, to everybody. Default: false. */
  readonly openapi?: boolean;
  /** Returns what `login.beforeSend` gets as `signals`: what your app or its proxy knows of the request. */
  readonly signals?: (context: ReadContext) => Awaitable<unknown>;
}

const appSessionsShape = strictOptions({
  transport: transportShape.optional(),
  start: functionOption(),
  current: functionOption(),
  end: functionOption(),
});

const expectedDone = 'expected a path of this site, such as "/account"';
const mountShape = strictOptions({
  purpose: z.enum(purposes, 'expected "login", "link", "step_up" or "verify"').default("login"),
  session: appSessionsShape.optional(),
  rememberSeconds: wholeNumberOption(60, maxRememberSeconds).optional(),
  proof: strictOptions({
    audience: audienceOption.optional(),
    lifetimeSeconds: wholeNumberOption(60, 3600).default(600),
    boundTo: functionOption().optional(),
  }).prefault({}),
  page: objectOption<LoginPage>(["render"], "expected loginPage({ … }) of @doorcode/browser/server")
    .refine((page?: LoginPage | null) => ownPage.safeParse(page?.done).success, { path: ["done"], error: expectedDone })
    .optional(),
  forms: strictOptions({ page: ownPage.optional(), done: ownPage.optional() }).prefault({}),
  openapi: z.boolean("expected true or false").default(false),
  signals: functionOption().optional(),
});

const ofAnyFramework: ProxySetting<unknown> = {
  fix: "Set the framework's own option for proxies to the address of your proxy.",
  trustsEverybody: () => false,
};

const twoSessionsFix =
  "both createDoorcode and these options have sessions: a login would start the one, and a guard ask the other. Leave " +
  "session out of createDoorcode to use the sessions of your app.";

/**
 * Creates the endpoints of a login, for a framework to mount, any number of times.
 *
 * @param proxySetting - how the framework knows its proxies, for the warning `proxy_misconfigured`.
 * @throws TypeError for a wrong option, and if the kit was created without what the mount needs
 */
export function mountLogin<RequestContext extends ReadContext, ReadContext>(
  doorcode: Doorcode,
  options: PhoneLoginOptions<RequestContext, ReadContext> = {},
  proxySetting: ProxySetting<RequestContext> = ofAnyFramework,
): LoginMount<RequestContext, ReadContext> {
  const { purpose, page, forms, openapi, proof, rememberSeconds } = parseOptions("phoneLogin", mountShape, options);
  const parts = partsOf(doorcode);
  const { login, rememberedBrowsers } = parts;
  if (!login || !rememberedBrowsers)
    throw new TypeError("phoneLogin: createDoorcode was called without login: add it to the options.");
  requireCallback(login, purpose);
  if (options.signals && !login.callbacks.beforeSend) {
    throw new TypeError("phoneLogin: signals needs login.beforeSend, which gets them: add it to createDoorcode.");
  }
  checkProofOptions(purpose, options);
  if (rememberSeconds !== undefined && purpose !== "step_up") {
    throw new TypeError('phoneLogin: rememberSeconds is for purpose "step_up": a login always asks for its code.');
  }
  // Mounts of other purposes make no proofs.
  const { lifetimeSeconds, audience = purpose } = proof;
  const kitTransport = parts.sessionSource?.transport ?? "cookie";
  return createLoginMount({
    ...parts.mount,
    login,
    purpose,
    proofCookie: parts.proofCookie(audience),
    proof: { ...options.proof, lifetimeSeconds, audience },
    sessions: purpose === "verify" ? createNoSessions(kitTransport) : chooseSessions(options.session, parts),
    rememberedBrowsers,
    rememberSeconds,
    page,
    forms: { page: forms.page ?? (page ? undefined : "/login"), done: forms.done ?? page?.done ?? "/" },
    proxySetting,
    signals: options.signals,
    describe: openapi ? describeEndpoints : undefined,
  });
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

function checkProofOptions(purpose: Purpose, { session, proof }: PhoneLoginOptions<never, never>): void {
  if (purpose === "verify" && session) {
    throw new TypeError(
      'phoneLogin: purpose "verify" starts no session: leave session out, or choose another purpose.',
    );
  }
  if (purpose === "verify" && proof?.audience === undefined) {
    throw new TypeError(
      'phoneLogin: purpose "verify" needs proof.audience, which says who accepts its proofs, such as "checkout": give it to ' +
        "createProofVerifier, too.",
    );
  }
  if (purpose !== "verify" && proof) {
    throw new TypeError('phoneLogin: proof is for purpose "verify": leave it out, or choose that purpose.');
  }
}

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

/** Returns the document of the endpoints, which is beside the folder of this file. Its server is the path of the mount. */
async function describeEndpoints(paths: readonly string[]): Promise<unknown> {
  // A bundler takes an imported file into the bundle, and leaves out one that is read.
  const { default: document } = await import("../openapi.json", { with: { type: "json" } });
  const own = Object.entries(document.paths).filter(([path]) => paths.includes(path));
  return { ...document, paths: Object.fromEntries(own) };
}

/** Creates the endpoint for the service's webhooks. @throws TypeError if the kit was created without webhooks */
export function mountWebhooks(doorcode: Doorcode): Mount<unknown> {
  const { webhooks } = partsOf(doorcode);
  if (!webhooks) throw new TypeError("webhooks: createDoorcode was called without webhooks: add it to the options.");
  return createWebhookMount(webhooks.mount);
}

/** A guard calls `current` alone. */
const appSessionShape = strictOptions({ session: appSessionsShape.partial({ start: true, end: true }) });

/**
 * Creates the guard of routes that need a login: by the kit's sessions, or by the app's own if the options have them.
 *
 * @throws TypeError for a wrong option, if there are no sessions, and if both the kit and the options have some
 */
export function createLoginGuard<ReadContext>(
  doorcode: Doorcode,
  options: AppSessionGuardOptions<ReadContext>,
): (request: GuardedRequest, context: ReadContext) => Promise<GuardResult<AppSession>>;
export function createLoginGuard(
  doorcode: Doorcode,
  options?: GuardOptions,
): (request: GuardedRequest, context?: unknown) => Promise<GuardResult<Session<RegisteredUser>>>;
export function createLoginGuard<ReadContext>(
  doorcode: Doorcode,
  options?: GuardOptions | AppSessionGuardOptions<ReadContext>,
): (request: GuardedRequest, context: ReadContext) => Promise<GuardResult<Session<RegisteredUser> | AppSession>>;
export function createLoginGuard<ReadContext>(
  doorcode: Doorcode,
  { session, ...options }: GuardOptions | AppSessionGuardOptions<ReadContext> = {},
): (request: GuardedRequest, context: ReadContext) => Promise<GuardResult<AppSession>> {
  const { clock, mount, sessions, sessionSource, rememberedBrowsers } = partsOf(doorcode);
  const depsOf = (transport: Transport = "cookie") => ({ ...mount, clock, rememberedBrowsers, transport });
  if (session === undefined) {
    const { current } =
      sessions ?? noSessions("requireLogin", "or give requireLogin the sessions of your app, as session: { current }");
    return createGuard(current, depsOf(sessionSource?.transport), options);
  }
  if (sessions) throw new TypeError(`requireLogin: ${twoSessionsFix}`);
  parseOptions("requireLogin", appSessionShape, { session });
  async function current(request: GuardedRequest, context: ReadContext): Promise<AppSession | undefined> {
    mount.checkHost(request);
    return session && readAppSession(session, context);
  }
  return createGuard(current, depsOf(session.transport), options);
}

/** Reads the session of a request, if it has one. @throws TypeError without sessions; DoorcodeError `store_unavailable` */
export function readSession(doorcode: Doorcode, request: WithHeaders): Promise<Session<RegisteredUser> | undefined> {
  const sessions = partsOf(doorcode).sessions ?? noSessions("getSession", "or read the session of your app");
  return (sessions as Sessions<RegisteredUser>).current(request);
}

function noSessions(caller: string, otherFix: string): never {
  throw new TypeError(`${caller}: createDoorcode was called without session: add it, ${otherFix}.`);
}
