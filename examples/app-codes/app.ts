import { appCodes } from "@doorcode/core";
import type { Express } from "express";
import { createApp as createLoginApp } from "../express-login/app.ts";

/** The whole difference: the app makes and checks the code, and the service delivers it. */
export function createApp(env: NodeJS.ProcessEnv = process.env): Express {
  return createLoginApp(env, appCodes({ channels: ["SMS", "WHATSAPP"] }));
}
