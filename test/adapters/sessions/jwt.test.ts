import { phoneLogin } from "@doorcode/core/fetch";
import { Hono } from "hono";
import { getCookie } from "hono/cookie";
import { jwtVerify, SignJWT } from "jose";
import { expect, test } from "vitest";
import { type AdapterSetup, createKit, phone, setUpOn } from "../adapter-setup.ts";
import { relay, serveHono } from "../serve-hono.ts";
import { describeOwnSessions } from "./scenario.ts";

const key = new TextEncoder().encode("a key of the tests, 32 characters");

function sign(userId: string): Promise<string> {
  return new SignJWT().setProtectedHeader({ alg: "HS256" }).setSubject(userId).sign(key);
}

async function userOf(token: string | undefined): Promise<string | undefined> {
  if (token === undefined) return undefined;
  return jwtVerify(token, key).then(
    ({ payload }) => payload.sub,
    () => undefined,
  );
}

function tokenOf({ headers }: Request): string | undefined {
  return headers.get("cookie")?.match(/(?:^|; )token=([^;]+)/)?.[1];
}

async function serve(): Promise<AdapterSetup> {
  const kit = await createKit({ session: "the app's own" });
  const login = phoneLogin(kit.doorcode, {
    basePath: "/login",
    session: {
      async start({ userId }, { responseHeaders }) {
        const token = await sign(userId);
        responseHeaders.append("set-cookie", `token=${token}; Path=/; HttpOnly; SameSite=Lax`);
        return { token };
      },
      async current({ request }) {
        const userId = await userOf(tokenOf(request));
        return userId === undefined ? undefined : { userId };
      },
      end: ({ responseHeaders }) => responseHeaders.append("set-cookie", "token=; Path=/; Max-Age=0"),
    },
  });
  const app = new Hono();
  app.use("/login/*", async (c, next) => relay(c, next, await login(c.req.raw, { remoteAddress: undefined })));
  app.get("/visit", (c) => c.json({}, 200, { "set-cookie": "token=anonymous; Path=/" }));
  app.get("/me", async (c) => c.json({ userId: (await userOf(getCookie(c, "token"))) ?? null }));
  return setUpOn(kit, await serveHono(app));
}

describeOwnSessions({ name: "a JWT in a cookie", cookie: "token", serve });

test("a JWT of an app without cookies is in the answer", async () => {
  const { open, service } = await serve();
  const app = open();
  await app.post("/login/start", { phone });
  const { json } = await app.post("/login/confirm", { code: service.code });
  const { token } = json.result as { token: string };
  expect((await jwtVerify(token, key)).payload.sub).toBe("user_1");
});
