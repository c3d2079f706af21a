import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { Doorcode } from "@doorcode/core";
import { type ExpressSessions, phoneLogin, requireLogin } from "@doorcode/express";
import express, { type Express, type Request } from "express";
import session from "express-session";

declare module "express-session" {
  interface SessionData {
    userId: string;
    provenAt: number | undefined;
  }
}

const tokens = new Map<string, { userId: string; provenAt: number | undefined }>(); // your table: a digest of each token
const isPhone = (req: Request) => req.get("doorcode-transport") === "bearer";
const tokenOf = (req: Request) => req.get("authorization")?.match(/^Bearer (.+)$/)?.[1] ?? "";

const sessions: ExpressSessions = {
  transport: "both",
  async start({ userId, provenAt }, { req }) {
    if (isPhone(req)) {
      const token = randomBytes(32).toString("base64url");
      tokens.set(token, { userId, provenAt });
      tokens.delete(tokenOf(req)); // that of before a link or a step-up
      return { token }; // `result` in the answer to /confirm
    }
    await promisify(req.session.regenerate.bind(req.session))();
    req.session.userId = userId;
    req.session.provenAt = provenAt;
  },
  current({ req }) {
    if (isPhone(req)) return tokens.get(tokenOf(req));
    const { userId, provenAt } = req.session;
    return userId === undefined ? undefined : { userId, provenAt };
  },
  async end({ req }) {
    if (isPhone(req)) tokens.delete(tokenOf(req));
    else await promisify(req.session.destroy.bind(req.session))();
  },
};

/** Creates an app whose browsers have express-session, and whose phones have tokens of the app. */
export function createApp(doorcode: Doorcode, secret: string): Express {
  const app = express();
  app.use(session({ secret, resave: false, saveUninitialized: false }));
  app.use("/login", phoneLogin(doorcode, { session: sessions }));
  app.get(
    "/account",
    requireLogin(doorcode, { session: sessions }),
    (req, res) => void res.json({ id: req.doorcode.userId }),
  );
  return app;
}
