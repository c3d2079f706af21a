import { type CodeStrategyFactory, createDoorcode, type Doorcode, serviceCodes } from "@doorcode/core";
import { createUsers, type User } from "./users.ts";

/** A webhook that was handled, as the account page lists it. */
export interface HandledWebhook {
  readonly kind: string;
  readonly status: string;
}

export interface Kit {
  readonly doorcode: Doorcode<User>;
  /** The newest webhooks. */
  readonly handled: readonly HandledWebhook[];
}

/** The kit of the app: everything that Express and Fastify share. Who owns the code is one word, `codes`. */
export function createKit(
  env: NodeJS.ProcessEnv,
  codes: CodeStrategyFactory = serviceCodes({ template: "login", channels: ["SMS", "WHATSAPP"] }),
): Kit {
  const users = createUsers();
  const handled: HandledWebhook[] = [];
  const keep = (kind: string, ...told: (string | undefined)[]) => {
    handled.unshift({ kind, status: told.filter(Boolean).join(" ") });
    handled.length = Math.min(handled.length, 10);
  };

  const doorcode = createDoorcode({
    // In production: ORIGINS=https://app.example.com
    ...(env.ORIGINS && { origins: env.ORIGINS.split(",") }),
    service: { baseUrl: env.SERVICE_URL, apiKey: env.SERVICE_API_KEY },
    login: {
      countries: ["DE", "AT", "CH"],
      codes,
      onLogin: ({ phone }) => users.findOrCreate(phone).id,
    },
    session: { password: env.SESSION_PASSWORD, loadUser: (id) => users.get(id) },
    webhooks: {
      secret: env.WEBHOOK_SECRET,
      on: {
        "verification.update": ({ kind, data }) => keep(kind, data.status, data.channel, data.channel_status),
        "message.status.update": ({ kind, data }) => keep(kind, data.status),
      },
    },
  });
  return { doorcode, handled };
}

// Gives `req.doorcode.user` and `request.doorcode.user` the type of this app's users.
declare module "@doorcode/core" {
  interface Register {
    doorcode: Doorcode<User>;
  }
}
