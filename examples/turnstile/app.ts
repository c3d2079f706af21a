import type { Express } from "express";
import { createApp as createLoginApp } from "../express-login/app.ts";
import { createTurnstile } from "./turnstile.ts";

/**
 * Creates the app of express-login with a challenge: a device that has not logged in with the number solves one before a code
 * is sent. Whoever has solved it gets a code also from a block of numbers or an address that is closed.
 */
export function createApp(env: NodeJS.ProcessEnv = process.env): Express {
  const { widget, verify } = createTurnstile(env);
  return createLoginApp(env, {
    login: {
      // Nothing is suppressed, so the page may show what becomes of a code.
      suppresses: false,
      async beforeSend({ knownDevice, resend, challenge, client, signal }) {
        if (knownDevice || resend) return "allow";
        const isSolved = challenge !== undefined && (await verify(challenge, client.address, signal));
        return isSolved ? { trust: "allow" } : "challenge";
      },
    },
    challenge: widget,
  });
}
