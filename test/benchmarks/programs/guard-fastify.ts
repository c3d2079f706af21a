import { phoneLogin, requireLogin } from "@doorcode/fastify";
import fastify from "fastify";
import { serveHttp } from "../measure/program.ts";
import { createGuardKit } from "./guard-kit.ts";

const doorcode = createGuardKit();
const app = fastify({ trustProxy: "127.0.0.1" });
await app.register(phoneLogin(doorcode), { prefix: "/login" });

if (process.argv[2] === "guarded") {
  app.get("/account", { preHandler: requireLogin(doorcode) }, async ({ doorcode: { userId } }) => ({ id: userId }));
} else {
  app.get("/account", async () => ({ id: "user_1" }));
}

await app.ready();
serveHttp(app.server);
