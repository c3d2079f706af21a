import {
  type AppSession,
  createNodeRequest,
  type GuardedRequest,
  type GuardResult,
  type HttpResponse,
  type Session as KitSession,
  type Mount,
  type ProxySetting,
  type RegisteredUser,
  trustsEverybody,
} from "@doorcode/core/adapter";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, FastifySchema } from "fastify";
import { describeRoutes } from "./describe-routes.ts";

/** The argument of the app's own `session.current`. */
export interface FastifyReadContext {
  readonly request: FastifyRequest;
}

/** The argument of the app's own `session.start` and `session.end`. */
export interface FastifyRequestContext extends FastifyReadContext {
  readonly reply: FastifyReply;
}

/** The option `trustProxy`. */
export const proxySetting: ProxySetting<FastifyRequestContext> = {
  fix:
    'Set trustProxy to the address of your proxy, as in fastify({ trustProxy: "10.0.0.5" }), and let the proxy set X-Forwarded-For ' +
    "to its client's address. With newer versions of Fastify 5, a number makes Fastify believe no proxy.",
  trustsEverybody: ({ request }) =>
    trustsEverybody((raw) => {
      const forwarded: FastifyRequest = Object.create(request, { raw: { value: raw } });
      return forwarded.ip;
    }),
};

/** Serves a mount, with its own content-type parser: also if the app parses bodies, here the body stays a stream for core. */
export function serve(mount: Mount<FastifyRequestContext>): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers();
    // Fastify parses the content type of each request anew if it finds only the parser of all types.
    app.addContentTypeParser(["application/json", "*"], (_request, payload, done) => done(null, payload));
    app.addHook("preClose", async () => mount.close());
    // Only `@fastify/swagger` reads the schemas: core checks every request by itself.
    const described = app.hasDecorator("swagger") ? await describeRoutes() : undefined;
    for (const path of mount.paths) {
      const route = {
        url: path,
        exposeHeadRoute: false,
        validatorCompiler: () => () => true,
        handler(request: FastifyRequest, reply: FastifyReply) {
          const { raw, url } = request;
          const basePath = app.prefix;
          const exchange = createNodeRequest({ request: raw, response: reply.raw, host: request, url, path, basePath });
          return mount
            .handle(exchange, { request, reply })
            .then((answer) => (answer ? prepare(reply, answer) : reply.callNotFound()));
        },
      };
      const schemas = described?.get(path) ?? {};
      for (const [method, schema] of Object.entries(schemas)) app.route({ ...route, method, schema });
      // Every other method too, so that core answers it with 405; the app would answer 404.
      const others = app.supportedMethods.filter((method) => !(method in schemas));
      app.route({ ...route, method: others, schema: { hide: true } as FastifySchema });
    }
  };
}

/** Serves a guard: puts the session into the request, or answers in place of the route. */
export function serveGuard(
  guard: (request: GuardedRequest, context: FastifyReadContext) => Promise<GuardResult<AppSession>>,
): LoginGuard<AppSession> {
  const handle = (request: FastifyRequest, reply: FastifyReply) => {
    const { raw, originalUrl: url } = request;
    const exchange = createNodeRequest({ request: raw, response: reply.raw, host: request, url });
    return guard(exchange, { request }).then((result) => {
      if ("refusal" in result) return reply.send(prepare(reply, result.refusal));
      (request as { doorcode: unknown }).doorcode = result.session;
      return undefined;
    });
  };
  return handle as LoginGuard<AppSession>;
}

/** Puts an answer of core on the reply and returns its payload. Fastify sends it through the app's own hooks. */
function prepare(reply: FastifyReply, { status, headers, cookies, body }: HttpResponse): Buffer | undefined {
  reply.code(status).headers(headers);
  if (cookies.length > 0) {
    // Fastify writes its own headers over those of the raw response, and middleware puts its cookies there.
    const raw = reply.raw.getHeader("set-cookie");
    if (raw !== undefined) reply.header("set-cookie", raw);
    reply.header("set-cookie", cookies);
  }
  return body === undefined ? undefined : Buffer.from(body);
}

/** Marks the types of a guarded route. It exists in types only. */
declare const loggedIn: unique symbol;

/** The mark, in the one type that hooks and handler of a route share and that a route may leave out: that of its `config`. */
interface LoggedInConfig<Held> {
  readonly [loggedIn]?: Held;
}

/** A route's own `config` has its own type, without the mark. */
interface AnyConfig<Held> extends LoggedInConfig<Held> {
  readonly [name: string]: unknown;
}

// `KitSession`: @fastify/session adds its own `Session` to this module.
declare module "fastify" {
  interface FastifyRequest {
    /**
     * The session of the request, in the handler of a route with the guard: `app.get("/account", { preHandler: requireLogin(doorcode) },
     * handler)`. Anywhere else its type is `unknown`: behind `app.addHook`, and on routes with type arguments or a `config` of their own,
     * call `sessionOf(request)`; on routes that are open to all `await getSession(doorcode, request)`.
     */
    readonly doorcode: this extends { readonly routeOptions: { readonly config: LoggedInConfig<infer Held> } }
      ? Held
      : unknown;
  }
}

/**
 * The guard of routes that need a login. It is a hook like any other, and types `request.doorcode` behind it: with the kit's session, or
 * with what `session.current` of the app returned.
 */
export interface LoginGuard<Held = KitSession<RegisteredUser>> {
  (request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  // Fastify infers the types of a route from the last signature.
  (
    request: { readonly routeOptions: { readonly config: AnyConfig<Held> } },
    reply: Pick<FastifyReply, "sent">,
  ): Promise<unknown>;
}

/**
 * Returns the session that `requireLogin` has put into the request, for handlers whose `request.doorcode` has no type: those
 * behind `app.addHook("preHandler", requireLogin(doorcode))`, those of routes with type arguments or a `config` of their own,
 * and functions of your own.
 *
 * @throws TypeError if no guard has admitted the request
 */
export function sessionOf(request: Pick<FastifyRequest, "doorcode">): KitSession<RegisteredUser> {
  const { doorcode } = request as { readonly doorcode?: KitSession<RegisteredUser> };
  if (doorcode) return doorcode;
  throw new TypeError(
    "sessionOf: no guard has admitted this request. Put requireLogin(doorcode) in front of the route, as preHandler.",
  );
}
