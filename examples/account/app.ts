import { join } from "node:path";
import type { Express } from "express";
import { createApp as createLoginApp } from "../express-login/app.ts";
import type { KitOptions } from "../express-login/kit.ts";
import { mountAccount } from "./account.ts";
import { secondNumber } from "./second-number.ts";
import { createUsers } from "./users.ts";

/**
 * Creates the app of express-login with an account: its sessions (`sessions.ts`), a proof of the number before something sensitive
 * (`deletion.ts`), and a second number (`second-number.ts`).
 */
export function createApp(
  env: NodeJS.ProcessEnv = process.env,
  options: Pick<KitOptions, "clock" | "folder" | "onEvent"> = {},
): Express {
  const { folder } = options;
  const users = createUsers(folder && join(folder, "users.sqlite"));
  return createLoginApp(env, {
    ...options,
    users,
    login: secondNumber(users),
    account: (app, kit) => mountAccount(app, kit, users),
  });
}
