import {
  type AppSessionGuardOptions,
  type AppSessions,
  createLoginGuard,
  type Doorcode,
  type GuardOptions,
  type Session as KitSession,
  type LoginOffer,
  type LoginState,
  mountLogin,
  mountWebhooks,
  type PhoneLoginOptions,
  type RegisteredUser,
  readSession,
} from "@doorcode/core/adapter";
import { createNodeRequest } from "@doorcode/core/node";
import type { FastifyPluginAsync, FastifyRequest, preHandlerAsyncHookHandler } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { type FastifyReadContext, type FastifyRequestContext, prepare, proxySetting, serve } from "./serve.ts";

export type { FastifyReadContext, FastifyRequestContext } from "./serve.ts";

// `KitSession`: @fastify/session adds a `Session` of its own to this module.
declare module "fastify" {
  interface FastifyRequest {
    /** The session of the request, behind `requireLogin`. */
    doorcode: KitSession<RegisteredUser>;
  }
}

/** The sessions of an app of its own, as `phoneLogin` and `requireLogin` take them. */
export type FastifySessions = AppSessions<FastifyRequestContext, FastifyReadContext>;

/** The endpoints of a login, as a plugin of Fastify. */
export interface FastifyLogin extends FastifyPluginAsync {
  /** Reads the state of a browser's login, for the page that shows it. @throws DoorcodeError `store_unavailable` */
  state(request: FastifyRequest): Promise<LoginState>;
  /** The countries and channels of the login, for the page that shows it. */
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
 * Creates the guard of routes that need a login: `{ preHandler: requireLogin(doorcode) }`. It puts the session into
 * `request.doorcode`.
 *
 * Any other request is answered 401 `login_required`, or redirected to `loginPage`; 403 `proof_required`, or redirected to
 * `stepUpPage`, when the proof is too old; 503 `store_unavailable`. What `loadUser` throws goes to the app's error handler.
 *
 * @throws TypeError for a wrong option, and if the kit has no sessions of its own
 */
export function requireLogin(
  doorcode: Doorcode,
  options?: GuardOptions | AppSessionGuardOptions<FastifyReadContext>,
): preHandlerAsyncHookHandler {
  const guard = createLoginGuard(doorcode, options);
  return async (request, reply) => {
    const { raw, originalUrl: url } = request;
    const admission = await guard(createNodeRequest({ request: raw, response: reply.raw, host: request, url }), {
      request,
    });
    if ("refusal" in admission) return reply.send(prepare(reply, admission.refusal));
    request.doorcode = admission.session as KitSession<RegisteredUser>;
  };
}

/**
 * Reads the session of a request, for routes that are open to all; `undefined` if there is none.
 *
 * @throws TypeError if the kit has no sessions of its own
 * @throws DoorcodeError `store_unavailable`
 */
export function getSession(
  doorcode: Doorcode,
  request: FastifyRequest,
): Promise<KitSession<RegisteredUser> | undefined> {
  return readSession(doorcode, request);
}
