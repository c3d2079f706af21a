import { fromNodeHeaders } from "better-auth/node";
import fastify from "fastify";
import { serveHttp } from "../measure/program.ts";
import { guardCode, guarded } from "../programs/guard-kit.ts";
import { createUsers } from "../programs/people.ts";
import { createAuth } from "./better-auth.ts";

const auth = createAuth(createUsers(guarded), {
  sendOTP: () => undefined,
  verifyOTP: ({ code }) => code === guardCode,
});
const app = fastify();

/** https://better-auth.com/docs/integrations/fastify */
app.route({
  method: ["GET", "POST"],
  url: "/api/auth/*",
  async handler(request, reply) {
    const url = new URL(request.url, `http://${request.headers.host}`);
    const headers = fromNodeHeaders(request.headers);
    const body = request.body ? { body: JSON.stringify(request.body) } : {};
    const response = await auth.handler(new Request(url, { method: request.method, headers, ...body }));
    reply.status(response.status);
    for (const [name, value] of response.headers) reply.header(name, value);
    return reply.send(response.body ? await response.text() : null);
  },
});
app.get("/account", async (request, reply) => {
  const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) });
  if (!session) return reply.code(401).send();
  return { id: session.user.id };
});

await app.ready();
serveHttp(app.server);
