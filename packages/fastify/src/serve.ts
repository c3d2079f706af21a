import {
  createNodeRequest,
  type HttpResponse,
  type Mount,
  type ProxySetting,
  trustsEverybody,
} from "@doorcode/core/adapter";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";

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

/**
 * Serves a mount, with a content-type parser of its own: whatever the app parses elsewhere, here the body stays a stream
 * for core.
 */
export function serve(mount: Mount<FastifyRequestContext>): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers();
    // Fastify parses the content type of each request anew if it finds only the parser of all types.
    app.addContentTypeParser(["application/json", "*"], (_request, payload, done) => done(null, payload));
    app.addHook("preClose", async () => mount.close());
    for (const path of mount.paths) {
      app.route({
        // Every method, so that core answers a wrong one with 405; the app would answer 404.
        method: app.supportedMethods,
        url: path,
        handler(request, reply) {
          const { raw, url } = request;
          const basePath = app.prefix;
          const exchange = createNodeRequest({ request: raw, response: reply.raw, host: request, url, path, basePath });
          return mount
            .handle(exchange, { request, reply })
            .then((answer) => (answer ? prepare(reply, answer) : reply.callNotFound()));
        },
      });
    }
  };
}

/** Puts an answer of core on the reply and returns its payload. Fastify sends it through the app's own hooks. */
export function prepare(reply: FastifyReply, { status, headers, cookies, body }: HttpResponse): Buffer | undefined {
  reply.code(status).headers(headers);
  if (cookies.length > 0) {
    // Fastify writes its own headers over those of the raw response, and middleware puts its cookies there.
    const raw = reply.raw.getHeader("set-cookie");
    if (raw !== undefined) reply.header("set-cookie", raw);
    reply.header("set-cookie", cookies);
  }
  return body === undefined ? undefined : Buffer.from(body);
}
