import { phoneLogin, webhooks } from "@doorcode/fastify";
import swagger from "@fastify/swagger";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { type LoginDocument, loginDocument } from "../support/login-document.ts";
import { createKit, phone, setUpOn } from "./adapter-setup.ts";
import { createFastifyApp } from "./serve-fastify.ts";

/** An app whose endpoints `@fastify/swagger` describes. */
async function serveDescribed() {
  const kit = await createKit();
  const { app, serve } = createFastifyApp();
  await app.register(swagger, { openapi: { openapi: "3.1.0" } });
  await app.register(webhooks(kit.doorcode), { prefix: "/webhooks" });
  await app.register(phoneLogin(kit.doorcode), { prefix: "/login" });
  return { app, ...setUpOn(kit, await serve()) };
}

test("@fastify/swagger describes each endpoint of the login with its answers, and no other method", async () => {
  const { app } = await serveDescribed();
  const document = app.swagger() as unknown as LoginDocument;
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { responses }]) => [path, method, Object.keys(responses)]),
  );
  // This mount has no number to remove.
  const { "/remove": _, ...paths } = loginDocument.paths;
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { responses }]) => [`/login${path}`, method, Object.keys(responses)]),
  );
  expect(described.sort()).toEqual(documented.sort());
  expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true });
});

test("core alone checks the requests of described endpoints", async () => {
  const { open } = await serveDescribed();
  const browser = open();
  const answers = [
    await browser.post("/login/start", { phone }),
    await browser.post("/login/start", { phone: 7 }),
    await browser.send("/login/start", { method: "PUT" }),
    await browser.send("/login/state", { method: "HEAD" }),
    // A wait that core does not understand is no wait.
    await browser.get("/login/state?after=x&waitSeconds=soon"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 405, 200, 200]);
  expect(answers[1]?.json.code).toBe("body_malformed");
});
