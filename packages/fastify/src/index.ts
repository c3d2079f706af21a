import {
  type AppSession,
  type AppSessionGuardOptions,
  type AppSessions,
  createLoginGuard,
  type Doorcode,
  type GuardOptions,
  type LoginOffer,
  type LoginState,
  mountLogin,
  mountWebhooks,
  type PhoneLoginOptions,
  type RegisteredUser,
  readSession,
  type Session,
} from "@doorcode/core/adapter";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import {
  type FastifyReadContext,
  type FastifyRequestContext,
  type LoginGuard,
  proxySetting,
  serve,
  serveGuard,
} from "./serve.ts";

export { type FastifyReadContext, type FastifyRequestContext, type LoginGuard, serve, sessionOf } from "./serve.ts";

/** The app's own sessions, as `phoneLogin` and `requireLogin` take them. */
export type FastifySessions = AppSessions<FastifyRequestContext, FastifyReadContext>;

/** The endpoints of a login, as a plugin of Fastify. */
export interface FastifyLogin extends FastifyPluginAsync {
  /** Reads the state of a browser's login, for the page that shows it. @throws DoorcodeError `store_unavailable` */
  state(request: FastifyRequest): Promise<LoginState>;
  /** The countries of the login, for the page that shows it. */
  readonly offer: LoginOffer;
}

/**
 * Creates the endpoints of a login: `await app.register(phoneLogin(doorcode), { prefix: "/login" })`.
 *
 * A failing `onLogin` or `session.start` is 503 `login_unfinished`, and the same code finishes the login. What the app's
 * other session functions throw goes to its error handler.
 *
 * @throws TypeError if the kit was created without what the mount needs
 */
export function phoneLogin(
  doorcode: Doorcode,
  options?: PhoneLoginOptions<FastifyRequestContext, FastifyReadContext>,
): FastifyLogin {
  const mount = mountLogin(doorcode, options, proxySetting);
  const endpoints = serve(mount);
  // The decoration is for the whole app, so it must leave this plugin. The endpoints and their parser must stay in it.
  const plugin = fastifyPlugin(
    async (app, registered) => {
      if (!app.hasRequestDecorator("doorcode")) app.decorateRequest("doorcode");
      await app.register(endpoints, registered);
    },
    { name: "@doorcode/fastify", fastify: "5.x" },
  );
  return Object.assign(plugin, {
    state: (request: FastifyRequest) => mount.readState(request, { request }),
    offer: mount.offer,
  });
}

/**
 * Creates the endpoint for the service's webhooks: `await app.register(webhooks(doorcode), { prefix: "/webhooks" })`.
 *
 * @throws TypeError if the kit was created without webhooks
 */
export function webhooks(doorcode: Doorcode): FastifyPluginAsync {
  return serve(mountWebhooks(doorcode));
}

/**
 * Creates the guard of routes that need a login. It puts the session into `request.doorcode`, for the handler of the same
 * route: `app.get("/account", { preHandler: requireLogin(doorcode) }, handler)`. Behind
 * `app.addHook("preHandler", requireLogin(doorcode))`, read the session with {@link sessionOf}.
 *
 * Any other request is answered 401 `login_required`, or redirected to `loginPage`; 403 `proof_required`, or redirected to
 * `stepUpPage`, when the proof is too old; 503 `store_unavailable`. What `loadUser` throws goes to the app's error handler. With
 * `session`, the app's own sessions decide.
 *
 * @throws TypeError for a wrong option, if there are no sessions, and if both the kit and the options have some
 */
export function requireLogin(
  doorcode: Doorcode,
  options: AppSessionGuardOptions<FastifyReadContext>,
): LoginGuard<AppSession>;
export function requireLogin(doorcode: Doorcode, options?: GuardOptions): LoginGuard;
export function requireLogin(
  doorcode: Doorcode,
  options?: GuardOptions | AppSessionGuardOptions<FastifyReadContext>,
): LoginGuard<AppSession> {
  return serveGuard(createLoginGuard(doorcode, options));
}

/**
 * Reads the session of a request, for routes that are open to all; `undefined` if there is none.
 *
 * @throws TypeError if the kit has no sessions
 * @throws DoorcodeError `store_unavailable`
 */
export function getSession(doorcode: Doorcode, request: FastifyRequest): Promise<Session<RegisteredUser> | undefined> {
  return readSession(doorcode, request);
}
