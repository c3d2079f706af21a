import { phoneLogin, requireLogin } from "@doorcode/express";
import express, { type NextFunction, type Request, type Response } from "express";
import { serveHttp } from "../measure/program.ts";
import { findUser } from "./bare-sessions.ts";
import { createGuardKit } from "./guard-kit.ts";

const doorcode = createGuardKit();
const app = express().set("trust proxy", "loopback");
app.use("/login", phoneLogin(doorcode));

if (process.argv[2] === "guarded") {
  app.get("/account", requireLogin(doorcode), (req, res) => void res.json({ id: req.doorcode.userId }));
} else if (process.argv[2] === "session") {
  app.get("/account", requireSession, (_req, res) => void res.json({ id: "user_1" }));
} else {
  app.get("/account", (_req, res) => void res.json({ id: "user_1" }));
}

serveHttp(app);

/** The least that a guard does: a handler that looks a session up, in its own time, as whatever asks a store. */
async function requireSession({ headers }: Request, res: Response, next: NextFunction): Promise<void> {
  await undefined;
  if (findUser(headers.cookie) === undefined) res.status(401).end();
  else next();
}
