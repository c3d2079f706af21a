import {
  createLoginGuard,
  type Doorcode,
  type GuardOptions,
  type Login,
  type LoginState,
  mountLogin,
  mountWebhooks,
  type PhoneLoginOptions,
  type Purpose,
  type RegisteredUser,
  readLogin,
  readMountedLogin,
} from "@doorcode/core/adapter";
import { createNodeRequest } from "@doorcode/core/node";
import type { FastifyPluginAsync, FastifyRequest, preHandlerAsyncHookHandler } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { type FastifyNative, type FastifyReading, prepare, serve } from "./serve.ts";

export type { FastifyNative, FastifyReading } from "./serve.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who is logged in, behind `requireLogin`. */
    doorcode: Login<RegisteredUser>;
  }
}

/**
 * Serves the endpoints of a login: `await app.register(phoneLogin(doorcode), { prefix: "/login" })`.
 *
 * A failing `onLogin` or `session.start` is 503 `login_unfinished`, which the same code finishes; what the app's other
 * session verbs throw goes to its error handler.
 *
 * @throws TypeError when the kit was created without what the mount needs
 */
export function phoneLogin(
  doorcode: Doorcode,
  options?: PhoneLoginOptions<FastifyNative, FastifyReading>,
): FastifyPluginAsync {
  const endpoints = serve(mountLogin(doorcode, options));
  // The decoration is for the whole app, so it has to leave this plugin; the endpoints and their parser must not.
  return fastifyPlugin(
    async (app, registered) => {
      if (!app.hasRequestDecorator("doorcode")) app.decorateRequest("doorcode");
      await app.register(endpoints, registered);
    },
    { name: "@doorcode/fastify", fastify: "5.x" },
  );
}

/**
 * Serves the endpoint for the service's webhooks: `await app.register(webhooks(doorcode), { prefix: "/webhooks" })`.
 *
 * @throws TypeError when the kit was created without webhooks
 */
export function webhooks(doorcode: Doorcode): FastifyPluginAsync {
  return serve(mountWebhooks(doorcode));
}

/**
 * Lets nobody pass who is not logged in, and tells the route who is in `request.doorcode`: `{ preHandler:
 * requireLogin(doorcode) }`.
 *
 * Everyone else is answered 401 `login_required`, or led to `loginPage`; 403 `proof_required` when the proof is too old;
 * 503 `store_unavailable`. What `loadUser` throws goes to the app's error handler.
 *
 * @throws TypeError for a wrong option, and when the kit has no sessions of its own
 */
export function requireLogin(doorcode: Doorcode, options?: GuardOptions): preHandlerAsyncHookHandler {
  const admit = createLoginGuard(doorcode, options);
  return async (request, reply) => {
    const admission = await admit(
      createNodeRequest({ request: request.raw, response: reply.raw, host: request, url: request.originalUrl }),
    );
    if ("refusal" in admission) return reply.send(prepare(reply, admission.refusal));
    request.doorcode = admission.login;
  };
}

/**
 * Reads where the login of a browser stands, to render its page.
 *
 * @throws TypeError when no login of this purpose is mounted
 * @throws DoorcodeError `store_unavailable`
 */
export function loginState(
  doorcode: Doorcode,
  request: FastifyRequest,
  { purpose }: { readonly purpose?: Purpose } = {},
): Promise<LoginState> {
  return readMountedLogin(doorcode, request, { request }, purpose);
}

/**
 * Answers who is logged in, for routes that are open to all; `undefined` when nobody is.
 *
 * @throws TypeError when the kit has no sessions of its own
 * @throws DoorcodeError `store_unavailable`
 */
export function getLogin(doorcode: Doorcode, request: FastifyRequest): Promise<Login<RegisteredUser> | undefined> {
  return readLogin(doorcode, request);
}
