import { createHmac, createSecretKey, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import express, { type Request, type Response } from "express";
import { sealData, unsealData } from "iron-session";
import { serveHttp } from "../measure/program.ts";
import { createUsers } from "../programs/people.ts";
import { callService } from "./call-service.ts";

/** A login between its two requests. */
interface Pending {
  readonly phone: string;
  readonly digest: Buffer;
  readonly expiresAt: number;
  attemptsLeft: number;
}

const [serviceUrl = "", people = ""] = process.argv.slice(2);
const users = createUsers(Number(people));
const pending = new Map<string, Pending>();
const sessions = new Map<string, string>();
const password = "a password of the benchmark, long enough";
const key = createSecretKey(Buffer.from(password));
const lifetimeSeconds = 300;

/**
 * A login as an app writes it that needs no more than this: a code under a keyed digest, five attempts and a lifetime on the server,
 * the ids in sealed cookies. It has no limits for numbers, addresses or blocks, no second process, and no protection from races.
 */
const app = express().set("trust proxy", "loopback");
app.use("/login", express.json());

app.post("/login/start", async (req: Request, res: Response) => {
  const { phone } = req.body;
  if (typeof phone !== "string" || !/^\+[1-9]\d{6,14}$/.test(phone)) return void res.status(400).end();
  const id = randomBytes(16).toString("base64url");
  const code = String(randomInt(1_000_000)).padStart(6, "0");
  const expiresAt = Date.now() + lifetimeSeconds * 1000;
  pending.set(id, { phone, digest: digestOf(id, code), expiresAt, attemptsLeft: 5 });
  await callService(serviceUrl, { phone, code });
  setCookie(res, "login", await sealData({ id }, { password, ttl: lifetimeSeconds }));
  res.json({ status: "code_sent" });
});

app.post("/login/confirm", async (req: Request, res: Response) => {
  const sealed = /(?:^|; )login=([^;]+)/.exec(req.headers.cookie ?? "")?.[1] ?? "";
  const { id = "" } = await unsealData<{ readonly id?: string }>(sealed, { password, ttl: lifetimeSeconds });
  const login = pending.get(id);
  if (!login || login.expiresAt <= Date.now() || login.attemptsLeft-- <= 0) return void res.status(400).end();
  if (!timingSafeEqual(login.digest, digestOf(id, String(req.body.code)))) return void res.status(400).end();
  pending.delete(id);
  const sessionId = randomBytes(16).toString("base64url");
  const userId = users.get(login.phone) ?? "";
  sessions.set(sessionId, userId);
  setCookie(res, "session", await sealData({ sessionId, userId }, { password }));
  res.json({ status: "logged_in", userId });
});

function digestOf(id: string, code: string): Buffer {
  return createHmac("sha256", key).update(`${id}.${code}`).digest();
}

function setCookie(res: Response, name: string, value: string): void {
  res.append("set-cookie", `${name}=${value}; Path=/; HttpOnly; Secure; SameSite=Lax`);
}

serveHttp(app);
