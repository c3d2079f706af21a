import { z } from "zod";
import { type Doorcode, type DoorcodeParts, doorcodeParts } from "./doorcode.ts";
import type { Mount } from "./http/exchange.ts";
import { type Admission, createGuard, type GuardedRequest, type GuardOptions } from "./http/guard.ts";
import { createLoginMount, type LoginMount } from "./http/login-mount.ts";
import type { LoginState } from "./http/login-state.ts";
import { type FormPages, ownPage } from "./http/pages.ts";
import { createWebhookMount } from "./http/webhook-endpoint.ts";
import type { LoginParts } from "./login/login.ts";
import type { Purpose } from "./login/transaction.ts";
import { callable, parseOptions } from "./parse-options.ts";
import type { RegisteredUser } from "./register.ts";
import { type AppSessions, createAppSessions, type SessionSource } from "./session/session-source.ts";
import type { Login, Sessions, WithHeaders } from "./session/sessions.ts";

export type { Doorcode } from "./doorcode.ts";
export { DoorcodeError, isDoorcodeError } from "./errors.ts";
export type { Body, HttpRequest, HttpResponse, Mount } from "./http/exchange.ts";
export type { Admission, GuardedRequest, GuardOptions } from "./http/guard.ts";
export type { LoginMount } from "./http/login-mount.ts";
export type { LoginState } from "./http/login-state.ts";
export { problem, refuse } from "./http/problem.ts";
export type { Purpose } from "./login/transaction.ts";
export type { RegisteredUser } from "./register.ts";
export type { AppSessions } from "./session/session-source.ts";
export type { Login, WithHeaders } from "./session/sessions.ts";

/** What a login's mount may be told. `Native` is the framework's own request, at hand for an app's sessions. */
export interface PhoneLoginOptions<Native extends Reading, Reading> {
  /** What the login is for. Default: `login`. */
  readonly purpose?: Purpose;
  /** The app's own sessions, in place of the kit's. */
  readonly session?: AppSessions<Native, Reading>;
  /** Where HTML forms are led. Default: `{ page: "/login", done: "/" }`. */
  readonly forms?: Partial<FormPages>;
}

const mountShape = z.strictObject({
  purpose: z.enum(["login", "link", "step_up"], 'expected "login", "link" or "step_up"').default("login"),
  session: z.strictObject({ start: callable(), current: callable(), end: callable() }).optional(),
  forms: z.strictObject({ page: ownPage.default("/login"), done: ownPage.default("/") }).prefault({}),
});

/**
 * Makes the endpoints of a login for a framework to hang up.
 *
 * @throws TypeError for a wrong option, and when the kit was created without what the mount needs
 */
export function mountLogin<Native extends Reading, Reading>(
  doorcode: Doorcode,
  options: PhoneLoginOptions<Native, Reading> = {},
): LoginMount<Native, Reading> {
  const { purpose, forms } = parseOptions("phoneLogin", mountShape, options);
  const { login, origins, transactionCookies, sessionSource, loginReaders, closing } = partsOf(doorcode);
  if (!login) throw new TypeError("phoneLogin: createDoorcode was called without login: add it to the options.");
  requireCallback(login, purpose);
  if (options.session && sessionSource) {
    throw new TypeError(
      "phoneLogin: the mount was given sessions, and createDoorcode has its own: a login would start the one, and " +
        "requireLogin ask the other. Leave session out of createDoorcode.",
    );
  }
  const sessions: SessionSource<Native, Reading> | undefined =
    options.session === undefined ? sessionSource : createAppSessions(options.session);
  if (!sessions) {
    throw new TypeError(
      "phoneLogin: there are no sessions: add session: { password } to createDoorcode, or give your own to the mount " +
        "as session: { start, current, end }.",
    );
  }
  const mount = createLoginMount({ login, purpose, cookie: transactionCookies[purpose], origins, sessions, forms });
  // Who asks later is the adapter that mounts here, so it knows what these sessions read.
  loginReaders.set(purpose, (request, reading) => mount.readState(request, reading as Reading));
  closing.add(mount.close);
  return mount;
}

/**
 * Makes the endpoint for the service's webhooks.
 *
 * @throws TypeError when the kit was created without webhooks
 */
export function mountWebhooks(doorcode: Doorcode): Mount<unknown> {
  const { webhooks, closing } = partsOf(doorcode);
  if (!webhooks) throw new TypeError("webhooks: createDoorcode was called without webhooks: add it to the options.");
  const mount = createWebhookMount(webhooks);
  closing.add(mount.close);
  return mount;
}

/**
 * Makes the guard of routes that need a login.
 *
 * @throws TypeError for a wrong option, and when the kit has no sessions of its own: an app that has them guards with them
 */
export function createLoginGuard(
  doorcode: Doorcode,
  options: GuardOptions = {},
): (request: GuardedRequest) => Promise<Admission<RegisteredUser>> {
  const sessions = ownSessions(doorcode, "requireLogin");
  return createGuard({ sessions, clock: partsOf(doorcode).clock }, options);
}

/**
 * Answers who is logged in, for routes that are open to all; `undefined` when nobody is.
 *
 * @throws TypeError when the kit has no sessions of its own
 * @throws DoorcodeError `store_unavailable`
 */
export function readLogin(doorcode: Doorcode, request: WithHeaders): Promise<Login<RegisteredUser> | undefined> {
  return ownSessions(doorcode, "getLogin").current(request);
}

/**
 * Reads where the login of a browser stands, for whoever renders its page.
 *
 * @param reading - what the app's own `session.current` is given; the adapter that mounted the login knows it.
 * @throws TypeError when no login of this purpose is mounted
 * @throws DoorcodeError `store_unavailable`
 */
export function readMountedLogin(
  doorcode: Doorcode,
  request: WithHeaders,
  reading: unknown,
  purpose: Purpose = "login",
): Promise<LoginState> {
  const read = partsOf(doorcode).loginReaders.get(purpose);
  if (!read) throw new TypeError(`loginState: no login is mounted for "${purpose}": mount phoneLogin(doorcode) first.`);
  return read(request, reading);
}

function partsOf(doorcode: Doorcode | undefined): DoorcodeParts {
  const parts = doorcode?.[doorcodeParts];
  if (parts) return parts;
  throw new TypeError("A mount or a guard needs what createDoorcode returned as its first argument.");
}

function ownSessions(doorcode: Doorcode, asker: string): Sessions<RegisteredUser> {
  const { sessions } = partsOf(doorcode);
  if (sessions) return sessions as Sessions<RegisteredUser>;
  throw new TypeError(`${asker}: createDoorcode was called without session: add it, or ask the sessions of your app.`);
}

function requireCallback({ callbacks }: LoginParts, purpose: Purpose): void {
  const callback = ({ login: "onLogin", link: "onLink", step_up: "phoneOf" } as const)[purpose];
  if (callbacks[callback]) return;
  throw new TypeError(`phoneLogin: purpose "${purpose}" needs login.${callback}: add it to createDoorcode.`);
}
