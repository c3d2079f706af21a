import { phoneLogin, requireLogin } from "@doorcode/fastify";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { serveHttp } from "../measure/program.ts";
import { findUser } from "./bare-sessions.ts";
import { createGuardKit } from "./guard-kit.ts";

const doorcode = createGuardKit();
const app = fastify({ trustProxy: "127.0.0.1" });
await app.register(phoneLogin(doorcode), { prefix: "/login" });

if (process.argv[2] === "guarded") {
  app.get("/account", { preHandler: requireLogin(doorcode) }, async ({ doorcode: { userId } }) => ({ id: userId }));
} else if (process.argv[2] === "session") {
  app.get("/account", { preHandler: requireSession }, async () => ({ id: "user_1" }));
} else {
  app.get("/account", async () => ({ id: "user_1" }));
}

await app.ready();
serveHttp(app.server);

/** The least that a guard does: a hook that looks a session up. */
async function requireSession({ headers }: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  return findUser(headers.cookie) === undefined ? reply.code(401).send() : undefined;
}
