import { join } from "node:path";
import { createDoorcode, type Doorcode, type DoorcodeEvent, type LoginOptions, serviceCodes } from "@doorcode/core";
import type { Clock } from "@doorcode/core/store";
import { createUsers, type User, type Users } from "./users.ts";

/** A handled webhook, as the account page lists it. */
export interface HandledWebhook {
  /** The kind of the event, such as `verification.update`. */
  readonly kind: string;
  /** The statuses in the event. */
  readonly status: string;
}

/** The kit, and what its webhook handlers have recorded. */
export interface Kit {
  /** The kit. */
  readonly doorcode: Doorcode<User>;
  /** The newest ten webhooks. Every logged-in user sees them, so they hold no phone number and no text. */
  readonly handled: readonly HandledWebhook[];
}

/** What another example changes, or a test. */
export interface KitOptions {
  /** The folder of two SQLite files, which a restart keeps: the kit's and the app's. Without one, both are in memory. */
  readonly folder?: string;
  readonly clock?: Clock;
  /** Gets the events of the kit, such as what its limits decide. */
  readonly onEvent?: (event: DoorcodeEvent) => void;
  readonly users?: Users;
  readonly login?: Partial<LoginOptions>;
}

/** Creates the kit that Express and Fastify share. */
export function createKit(env: NodeJS.ProcessEnv, { folder, login, ...options }: KitOptions = {}): Kit {
  const users = options.users ?? createUsers(folder && join(folder, "users.sqlite"));
  const handled: HandledWebhook[] = [];
  const record = (kind: string, ...statuses: (string | undefined)[]) => {
    handled.unshift({ kind, status: statuses.filter(Boolean).join(" ") });
    handled.length = Math.min(handled.length, 10);
  };

  const doorcode = createDoorcode({
    ...(options.clock && { clock: options.clock }),
    ...(options.onEvent && { onEvent: options.onEvent }),
    // Every process of this machine may open the file. On several machines, a store of Redis or PostgreSQL goes here.
    ...(folder !== undefined && { store: join(folder, "doorcode.sqlite") }),
    // In production: ORIGINS=https://app.example.com
    ...(env.ORIGINS && { origins: env.ORIGINS.split(",") }),
    service: { baseUrl: env.SERVICE_URL, apiKey: env.SERVICE_API_KEY },
    login: {
      countries: ["DE", "AT", "CH"],
      // With the length of the codes, the page sends a code by itself that was pasted or filled in.
      codes: serviceCodes({ template: "login", channels: ["SMS", "WHATSAPP"], codeLength: 6 }),
      onLogin: ({ phone }) => users.findOrCreate(phone).id,
      ...login,
    },
    session: {
      password: env.SESSION_PASSWORD,
      loadUser: (id) => users.get(id),
      label: ({ headers }) => browserName(String(headers["user-agent"])),
    },
    webhooks: {
      secret: env.WEBHOOK_SECRET,
      on: {
        "verification.update": ({ kind, data }) => record(kind, data.status, data.channel, data.channel_status),
        "message.status.update": ({ kind, data }) => record(kind, data.status),
      },
    },
  });
  return { doorcode, handled };
}

/** Names a browser, for a list of what it has. */
export function browserName(userAgent: string): string {
  const [browser = "A browser"] = /Edg|Firefox|Chrome|Safari/.exec(userAgent) ?? [];
  const [system] = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(userAgent) ?? [];
  return system === undefined ? browser : `${browser} on ${system}`;
}

// Gives `req.doorcode.user` and `request.doorcode.user` the type of this app's users.
declare module "@doorcode/core" {
  interface Register {
    doorcode: Doorcode<User>;
  }
}
