import { createDoorcode, serviceCodes } from "@doorcode/core";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/fetch";
import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono } from "hono";

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

const login = phoneLogin(doorcode, { basePath: "/login" });
const deliver = webhooks(doorcode, { basePath: "/webhooks" });
const guard = requireLogin(doorcode);

const app = new Hono();
app.all("/webhooks", async (c) => (await deliver(c.req.raw)) ?? c.notFound());
app.all("/login/*", async (c) => {
  const answer = await login(c.req.raw, { remoteAddress: getConnInfo(c).remote.address });
  return answer ? c.newResponse(answer.body, answer) : c.notFound();
});
app.get("/account", async (c) => {
  const admission = await guard(c.req.raw);
  return "response" in admission ? admission.response : c.json({ id: admission.session.userId, statuses });
});
serve({ fetch: app.fetch, port: Number(process.env.PORT) });
