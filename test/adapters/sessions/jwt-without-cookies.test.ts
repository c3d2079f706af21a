import { randomUUID } from "node:crypto";
import { type FetchLoginOptions, phoneLogin } from "@doorcode/fetch";
import { Hono } from "hono";
import { jwtVerify, SignJWT } from "jose";
import { expect, test } from "vitest";
import { outcomeOf } from "../../support/browser.ts";
import { openPhoneApp } from "../../support/phone-app.ts";
import { createKit, phone, setUpOn } from "../adapter-setup.ts";
import { relay, serveHono } from "../serve-hono.ts";

const key = new TextEncoder().encode("a key of the tests, 32 characters");

function sign(userId: string): Promise<string> {
  return new SignJWT().setProtectedHeader({ alg: "HS256" }).setSubject(userId).setJti(randomUUID()).sign(key);
}

async function userOf(token: string | undefined): Promise<string | undefined> {
  if (token === undefined) return undefined;
  return jwtVerify(token, key).then(
    ({ payload }) => payload.sub,
    () => undefined,
  );
}

/** Reads the token of the app from `Authorization`, and from nothing else. */
function bearerOf({ headers }: Request): string | undefined {
  return headers.get("authorization")?.match(/^Bearer (.+)$/)?.[1];
}

test("a JWT of an app without cookies is in the answer, and its user is known by it", async () => {
  const kit = await createKit({
    session: "the app's own",
    login: { onLink: () => "user_1", phoneOf: () => undefined },
  });
  const revoked = new Set<string | undefined>();
  const session: FetchLoginOptions["session"] = {
    transport: "bearer",
    async start({ userId }, { request }) {
      // A token of before the link is worth nothing from now on.
      revoked.add(bearerOf(request));
      return { token: await sign(userId) };
    },
    async current({ request }) {
      const token = bearerOf(request);
      const userId = revoked.has(token) ? undefined : await userOf(token);
      return userId === undefined ? undefined : { userId };
    },
    end: ({ request }) => void revoked.add(bearerOf(request)),
  };
  const login = phoneLogin(kit.doorcode, { basePath: "/login", session });
  const link = phoneLogin(kit.doorcode, { basePath: "/link", purpose: "link", session });
  const app = new Hono();
  app.use("/login/*", async (c, next) => relay(c, next, await login(c.req.raw, { remoteAddress: undefined })));
  app.use("/link/*", async (c, next) => relay(c, next, await link(c.req.raw, { remoteAddress: undefined })));
  const { url, service } = setUpOn(kit, await serveHono(app));

  const phoneApp = openPhoneApp(url);
  await phoneApp.post("/login/start", { phone });
  const { json } = await phoneApp.post("/login/confirm", { code: service.code });
  const { token } = json.result as { token: string };
  expect((await jwtVerify(token, key)).payload.sub).toBe("user_1");

  const withToken = { authorization: `Bearer ${token}` };
  const linking = await phoneApp.post("/link/start", { phone: "+4915123456780" }, withToken);
  const linked = await phoneApp.post("/link/confirm", { code: service.code }, withToken);
  const ofLink = linked.json.result as { token: string } | undefined;
  const renewed = { authorization: `Bearer ${ofLink?.token}` };
  const known = await phoneApp.get("/login/state", renewed);
  await phoneApp.post("/login/logout", {}, renewed);
  const refused = await phoneApp.post("/link/start", { phone: "+4915123456780" }, renewed);
  expect([linking, linked, known].map(outcomeOf)).toEqual(["code_sent", "logged_in", "logged_in"]);
  expect([refused.json.code, refused.headers.get("www-authenticate")]).toEqual([
    "login_required",
    'Bearer error="invalid_token"',
  ]);
});
