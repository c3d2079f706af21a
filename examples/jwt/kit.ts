import { createDoorcode, type Doorcode, serviceCodes } from "@doorcode/core";
import type { Store } from "@doorcode/core/store";

/** The origin of the page, and what it may send and read. No cookie has to pass, so `credentials` is left out. */
export const corsOptions = (origin: string) => ({
  origin,
  allowedHeaders: ["authorization", "content-type", "doorcode-transport", "doorcode-transaction", "doorcode-device"],
  exposedHeaders: ["retry-after", "www-authenticate"],
});

/** Creates the kit without sessions: those are the app's tokens. */
export function createKit(env: NodeJS.ProcessEnv, origin: string, store?: Store): Doorcode {
  return createDoorcode({
    ...(store && { store }),
    origins: [origin],
    service: { baseUrl: env.SERVICE_URL, apiKey: env.SERVICE_API_KEY },
    login: {
      password: env.SESSION_PASSWORD,
      countries: ["DE"],
      codes: serviceCodes({ template: "login" }),
      onLogin: ({ phone }) => `user of ${phone}`, // Your database, in a real app.
    },
  });
}
