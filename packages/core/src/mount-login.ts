import { z } from "zod";
import { type Purpose, purposes } from "./codes/purpose.ts";
import { type Doorcode, type DoorcodeParts, partsOf, twoSessionsFix } from "./doorcode.ts";
import type { ProxySetting } from "./http/exchange.ts";
import { createLoginMount, type LoginMount } from "./http/login-mount.ts";
import { type FormPages, ownPage } from "./http/pages.ts";
import type { ProofOptions } from "./http/proof-source.ts";
import type { LoginDeps } from "./login/login-deps.ts";
import {
  type AppSessions,
  createAppSessions,
  createNoSessions,
  type SessionSource,
} from "./sessions/session-source.ts";
import { transportShape } from "./sessions/transport.ts";
import type { Awaitable } from "./util/awaitable.ts";
import { functionOption, parseOptions, strictOptions, wholeNumberOption } from "./util/parse-options.ts";
import { audienceOption } from "./verify/proof-verifier.ts";

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
    audience: audienceOption.optional(),
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
  const { login, origins, checkHost, transactionCookies: cookies, deviceCookie, waits } = parts;
  if (!login) throw new TypeError("phoneLogin: createDoorcode was called without login: add it to the options.");
  requireCallback(login, purpose);
  if (options.signals && !login.callbacks.beforeSend) {
    throw new TypeError("phoneLogin: signals needs login.beforeSend, which gets them: add it to createDoorcode.");
  }
  checkProofOptions(purpose, options);
  // Mounts of other purposes make no proofs.
  const { lifetimeSeconds, audience = purpose } = proof;
  const sessions =
    purpose === "verify"
      ? createNoSessions(parts.sessionSource?.transport ?? "cookie")
      : chooseSessions(options.session, parts);
  return createLoginMount({
    login,
    purpose,
    cookies,
    deviceCookie,
    proofCookie: parts.proofCookie(audience),
    proof: { ...options.proof, lifetimeSeconds, audience },
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
