import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { AddressInfo } from "node:net";
import { appCodes, createDoorcode, createMemoryStore, providerCodes } from "@doorcode/core";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/express";
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { fromNodeHeaders, toNodeHandler } from "better-auth/node";
import { phoneNumber } from "better-auth/plugins";
import express, { type Express } from "express";
import { sealData, unsealData } from "iron-session";
import { Agent, request } from "undici";
import { z } from "zod";
import { isAuthentic, secret } from "./deliveries.ts";
import { phoneOf, serve } from "./measure.ts";

const [name = "", serviceUrl = ""] = process.argv.slice(2);
const password = "a password of the benchmark, long enough";
const code = "246810";
const app = express().set("trust proxy", "loopback");

/** The app of the kit. With `codes` of the app, each code is a call to the service. */
function createKit(isLogin: boolean) {
  const send = ({ phone }: { phone: string }) => ({ id: phone });
  return createDoorcode({
    origins: ["https://app.example.com"],
    store: createMemoryStore(),
    service: { baseUrl: serviceUrl || "http://localhost:1", apiKey: "key_of_the_benchmark" },
    session: { password },
    login: {
      countries: ["DE"],
      codes: isLogin ? appCodes() : providerCodes({ send, check: (typed) => typed.code === code }),
      onLogin: ({ phone }) => phone,
    },
    webhooks: { secret, on: { "message.status.update": () => undefined } },
  });
}

/** better-auth as its documents set it up, with so many users; its limit of requests would refuse the load. */
function createAuth(
  sendOTP: (data: { phoneNumber: string; code: string }) => Promise<void>,
  verifyOTP?: () => boolean,
) {
  const people = Array.from({ length: 10_000 }, (_, index) => ({ phone: phoneOf(index), id: `user_${index}` }));
  const user = people.map(({ phone, id }) => {
    const email = `${id}@example.com`;
    const now = new Date();
    const times = { createdAt: now, updatedAt: now };
    return { id, name: phone, email, emailVerified: false, phoneNumber: phone, phoneNumberVerified: true, ...times };
  });
  return betterAuth({
    baseURL: "https://app.example.com",
    secret: password,
    database: memoryAdapter({ user, session: [], account: [], verification: [] }),
    rateLimit: { enabled: false },
    plugins: [phoneNumber({ sendOTP, ...(verifyOTP && { verifyOTP }) })],
  });
}

const agent = new Agent();

/** Has the service send a code, with the same request and client as the kit. */
async function callService(recipient: string, custom_otp: string): Promise<void> {
  const { body } = await request(`${serviceUrl}/verifications`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "key_of_the_benchmark" },
    body: JSON.stringify({ recipient, channels: [{ channel_name: "SMS", priority: 1 }], custom_otp }),
    dispatcher: agent,
  });
  await body.json();
}

const eventShape = z.looseObject({
  event: z.literal("message.status.update"),
  data: z.looseObject({ message_id: z.string(), status: z.string(), status_updated_at: z.iso.datetime() }),
});

const apps: Readonly<Record<string, () => unknown>> = {
  "webhook kit": () => app.use("/webhooks", webhooks(createKit(false))),
  /** A part of the promise, by hand: raw body, HMAC, zod, a mark for each message, a queue that keeps the order. */
  "webhook by hand"() {
    const marks = new Map<string, string>();
    const queues = new Map<string, Promise<void>>();
    app.post("/webhooks", express.raw({ type: () => true, limit: 65_536 }), async (req, res) => {
      if (!isAuthentic(req.headers, req.body)) return void res.status(401).end();
      const { data } = eventShape.parse(JSON.parse(req.body.toString()));
      const id = data.message_id;
      const handling = (queues.get(id) ?? Promise.resolve()).then(() => {
        if ((marks.get(id) ?? "") < data.status_updated_at) marks.set(id, data.status_updated_at);
      });
      queues.set(id, handling);
      await handling;
      if (queues.get(id) === handling) queues.delete(id);
      res.status(204).end();
    });
  },
  "guard kit"() {
    const doorcode = createKit(false);
    app.use("/login", phoneLogin(doorcode));
    app.get("/open", (_req, res) => void res.json({ id: "user_1" }));
    app.get("/account", requireLogin(doorcode), (req, res) => void res.json({ id: req.doorcode.userId }));
  },
  "guard better-auth"() {
    const auth = createAuth(
      async () => undefined,
      () => true,
    );
    app.all("/api/auth/*splat", toNodeHandler(auth));
    app.get("/account", async (req, res) => {
      const session = await auth.api.getSession({ headers: fromNodeHeaders(req.headers) });
      res.status(session ? 200 : 401).json({ id: session?.user.id });
    });
  },
  "login kit": () => app.use("/login", phoneLogin(createKit(true))),
  "login better-auth": () =>
    app.all("/api/auth/*splat", toNodeHandler(createAuth((data) => callService(data.phoneNumber, data.code)))),
  "login by hand": () => mountLoginByHand(app),
};

/** A login that has no limits of numbers or addresses, one process, and no protection from races. */
function mountLoginByHand(app: Express): void {
  const pending = new Map<string, { phone: string; digest: Buffer; attemptsLeft: number }>();
  const digestOf = (id: string, typed: string) => createHmac("sha256", password).update(`${id}.${typed}`).digest();
  const sealed = async (cookie: string, data: object) =>
    `${cookie}=${await sealData(data, { password })}; Path=/; HttpOnly; Secure; SameSite=Lax`;
  app.use("/login", express.json());
  app.post("/login/start", async (req, res) => {
    const id = randomBytes(16).toString("base64url");
    const sent = String(randomInt(1_000_000)).padStart(6, "0");
    pending.set(id, { phone: req.body.phone, digest: digestOf(id, sent), attemptsLeft: 5 });
    await callService(req.body.phone, sent);
    res.append("set-cookie", await sealed("login", { id })).json({ status: "code_sent" });
  });
  app.post("/login/confirm", async (req, res) => {
    const [, seal = ""] = /login=([^;]+)/.exec(req.headers.cookie ?? "") ?? [];
    const { id = "" } = await unsealData<{ id?: string }>(seal, { password });
    const login = pending.get(id);
    const isRight = login && login.attemptsLeft-- > 0 && timingSafeEqual(login.digest, digestOf(id, req.body.code));
    if (!isRight) return void res.status(400).end();
    pending.delete(id);
    const session = await sealed("session", { sessionId: randomBytes(16).toString("base64url"), userId: login.phone });
    res.append("set-cookie", session).json({ status: "logged_in" });
  });
}

apps[name]?.();
const server = app.listen(0, "127.0.0.1", () => serve((server.address() as AddressInfo).port));
