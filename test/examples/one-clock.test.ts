import { appCodes, createDoorcode, createMemoryStore } from "@doorcode/core";
import { phoneLogin } from "@doorcode/express";
import { createSandbox } from "@doorcode/sandbox";
import express from "express";
import supertest from "supertest";
import { expect, onTestFinished, test } from "vitest";

const phone = "+4915123456789";

async function setUp() {
  const sandbox = await createSandbox({ port: 0, clock: "frozen" });
  const { clock, env } = sandbox;
  const doorcode = createDoorcode({
    clock,
    store: createMemoryStore({ clock }),
    service: { baseUrl: env.SERVICE_URL, apiKey: env.SERVICE_API_KEY },
    session: { password: env.SESSION_PASSWORD },
    login: { countries: ["DE"], codes: appCodes(), onLogin: () => "user_1" },
  });
  onTestFinished(async () => {
    await doorcode.close();
    await sandbox.close();
  });
  const app = express().use("/login", phoneLogin(doorcode));
  return { sandbox, browser: supertest.agent(app) };
}

test("one advance moves the service and an app that runs on its clock", async () => {
  const { sandbox, browser } = await setUp();
  await browser.post("/login/start").send({ phone }).expect(200);
  const { code } = await sandbox.inbox.wait({ to: phone });
  const early = await browser.post("/login/resend").send({});
  await sandbox.clock.advance("5m");
  const late = await browser.post("/login/confirm").send({ code });

  expect(early.body.code).toBe("cooldown");
  expect(late.body.code).toBe("code_expired");
});
