import { createDoorcode, serviceCodes } from "@doorcode/core";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/fastify";
import fastify from "fastify";

const statuses = [];

const doorcode = createDoorcode({
  service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
  session: { password: process.env.SESSION_PASSWORD },
  login: { countries: ["DE"], codes: serviceCodes({ template: "login" }), onLogin: ({ phone }) => `user ${phone}` },
  webhooks: {
    secret: process.env.WEBHOOK_SECRET,
    on: { "verification.update": ({ data }) => void statuses.push(data.status) },
  },
});

const app = fastify();
await app.register(webhooks(doorcode), { prefix: "/webhooks" });
await app.register(phoneLogin(doorcode), { prefix: "/login" });
app.get("/account", { preHandler: requireLogin(doorcode) }, async (request) => ({
  id: request.doorcode.userId,
  statuses,
}));
await app.listen({ port: process.env.PORT });
