const request = require("supertest");
const app = require("../app");
const { connect, disconnect } = require("../db");

beforeAll(connect);
afterAll(disconnect);

test("the API is up", async () => {
  const { body } = await request(app).get("/").expect(200);
  expect(body).toEqual({ status: "ok" });
});

test("a person without a token is nobody", async () => {
  await request(app).get("/api/users/me").expect(401);
  await request(app).get("/api/users/me").set("authorization", "Bearer forged").expect(401);
});

test("a person registers, and the token says who it is", async () => {
  const account = { email: "ann@example.com", name: "Ann" };
  const { body } = await request(app).post("/api/auth/register").send(account).expect(201);
  const me = await request(app).get("/api/users/me").set("authorization", `Bearer ${body.token}`).expect(200);
  expect(me.body).toMatchObject(account);
  await request(app).post("/api/auth/register").send(account).expect(409);
});
