import type { Session as KitSession, RegisteredUser } from "@doorcode/core/adapter";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Marks the types of a guarded route. It exists in types only. */
declare const loggedIn: unique symbol;

/** The mark, in the one type that hooks and handler of a route share and that a route may leave out: that of its `config`. */
interface LoggedInConfig<Held> {
  readonly [loggedIn]?: Held;
}

/** A `config` of the route's own has a type of its own, without the mark. */
interface AnyConfig<Held> extends LoggedInConfig<Held> {
  readonly [name: string]: unknown;
}

// `KitSession`: @fastify/session adds a `Session` of its own to this module.
declare module "fastify" {
  interface FastifyRequest {
    /**
     * The session of the request, in the handler of a route with the guard: `app.get("/account", { preHandler:
     * requireLogin(doorcode) }, handler)`. Anywhere else its type is `unknown`: behind `app.addHook`, and on routes with type
     * arguments or a `config` of their own, call `sessionOf(request)`; on routes that are open to all
     * `await getSession(doorcode, request)`.
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
