import type { Express } from "express";
import { createApp as createLoginApp } from "../express-login/app.ts";
import { twilioCodes } from "./twilio.ts";

/** Creates the app of express-login with the codes of another provider. */
export function createApp(env: NodeJS.ProcessEnv = process.env): Express {
  return createLoginApp(env, { login: { codes: twilioCodes(env) } });
}
