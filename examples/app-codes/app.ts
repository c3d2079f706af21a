import { appCodes } from "@doorcode/core";
import type { Express } from "express";
import { createApp as createLoginApp } from "../express-login/app.ts";

/** Creates the app of express-login with its own codes: the app creates and checks them, the service delivers them. */
export function createApp(env: NodeJS.ProcessEnv = process.env): Express {
  return createLoginApp(env, { login: { codes: appCodes({ channels: ["SMS", "WHATSAPP"] }) } });
}
