import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import Fastify from "fastify";
import app from "../app.js";

test("a reader registers and has an account", async (t) => {
  const fastify = Fastify();
  t.after(() => fastify.close());
  await fastify.register(app);

  assert.equal((await fastify.inject("/account")).statusCode, 401);
  const email = `${randomUUID()}@example.com`;
  const registered = await fastify.inject({ method: "POST", url: "/auth/register", payload: { email } });
  assert.equal(registered.statusCode, 201);
  const [cookie] = registered.cookies;
  const headers = { cookie: `${cookie.name}=${cookie.value}` };
  const account = await fastify.inject({ url: "/account", headers });
  assert.equal(account.json().email, email);
});
