import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { createDoorcode, createMemoryStore, serviceCodes } from "@doorcode/core";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/express";
import { createSandbox } from "@doorcode/sandbox";
import express from "express";
import supertest from "supertest";

test("a number logs in, and its webhooks arrive", async () => {
  const sandbox = await createSandbox({ port: 0 });
  const { SERVICE_URL, SERVICE_API_KEY, SESSION_PASSWORD, WEBHOOK_SECRET } = sandbox.env;
  const statuses: unknown[] = [];
  const doorcode = createDoorcode({
    store: createMemoryStore(),
    service: { baseUrl: SERVICE_URL, apiKey: SERVICE_API_KEY },
    session: { password: SESSION_PASSWORD },
    login: { countries: ["DE"], codes: serviceCodes({ template: "login" }), onLogin: () => "user_1" },
    webhooks: {
      secret: WEBHOOK_SECRET,
      on: { "verification.update": ({ data }) => void statuses.push(data.status) },
    },
  });
  const app = express();
  app.use("/webhooks", webhooks(doorcode));
  app.use("/login", phoneLogin(doorcode));
  app.get("/account", requireLogin(doorcode), (req, res) => void res.json({ id: req.doorcode.userId }));
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  sandbox.deliverTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`);

  const browser = supertest.agent(server);
  await browser.post("/login/start").send({ phone: "+4915123456789" }).expect(200);
  const { code } = await sandbox.inbox.wait({ to: "+4915123456789" });
  await browser.post("/login/confirm").send({ code }).expect(200);
  expect((await browser.get("/account").expect(200)).body).toEqual({ id: "user_1" });
  await sandbox.deliveries.wait({ to: "+4915123456789", eventStatus: "APPROVED" });
  expect(statuses).toContain("APPROVED");

  await doorcode.close();
  server.close();
  await sandbox.close();
});
