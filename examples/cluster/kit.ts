import { createDoorcode, type Doorcode, serviceCodes, type WebhookEvent } from "@doorcode/core";
import { createBullInbox, createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import type { HandledWebhook } from "../express-login/kit.ts";
import type { User } from "../express-login/users.ts";
import { createUsers } from "./users.ts";

/** A handled webhook, and the process that handled it. */
export interface ClusterWebhook extends HandledWebhook {
  /** The key of the event. */
  readonly key: string;
  /** The name of the process. */
  readonly by: string;
}

/** The kit of one process. */
export interface Kit {
  /** The kit. */
  readonly doorcode: Doorcode<User>;
  /**
   * Returns the newest 100 webhooks that any of the processes has handled. Every logged-in user sees them, so they hold no
   * phone number and no text.
   */
  handled(): Promise<readonly ClusterWebhook[]>;
  /** Closes the kit and the connection to Redis. */
  close(): Promise<void>;
}

/** Creates the kit of one process. All data that the processes share is in Redis. */
export function createKit(env: NodeJS.ProcessEnv): Kit {
  const name = env.NAME ?? `process ${process.pid}`;
  const redis = new Redis(env.REDIS_URL ?? "redis://127.0.0.1:6379", { keyPrefix: "doorcode-cluster:" });
  redis.on("error", (error) => process.stderr.write(`Redis: ${error.message}\n`));
  const users = createUsers(redis);

  // Each call adds an entry, so that an event that is handled twice is visible. An effect that must not happen twice
  // needs `event.key` as its key.
  async function record({ key, kind }: WebhookEvent, ...statuses: (string | undefined)[]): Promise<void> {
    const handled: ClusterWebhook = { key, kind, status: statuses.filter(Boolean).join(" "), by: name };
    await redis.multi().lpush("handled", JSON.stringify(handled)).ltrim("handled", 0, 99).exec();
    process.stdout.write(`handled ${kind} ${handled.status}\n`);
  }

  const doorcode = createDoorcode({
    ...(env.ORIGINS && { origins: env.ORIGINS.split(",") }),
    store: createRedisStore({ client: redis }),
    service: { baseUrl: env.SERVICE_URL, apiKey: env.SERVICE_API_KEY },
    login: {
      countries: ["DE", "AT", "CH"],
      codes: serviceCodes({ template: "login", channels: ["SMS", "WHATSAPP"] }),
      onLogin: async ({ phone }) => (await users.findOrCreate(phone)).id,
    },
    session: { password: env.SESSION_PASSWORD, loadUser: (id) => users.get(id) },
    webhooks: {
      secret: env.WEBHOOK_SECRET,
      inbox: createBullInbox({ client: redis }),
      on: {
        "verification.update": (event) =>
          record(event, event.data.status, event.data.channel, event.data.channel_status),
        "message.status.update": (event) => record(event, event.data.status),
      },
    },
  });

  return {
    doorcode,
    handled: async () => (await redis.lrange("handled", 0, 99)).map((text): ClusterWebhook => JSON.parse(text)),
    async close() {
      await doorcode.close();
      redis.disconnect();
    },
  };
}

declare module "@doorcode/core" {
  interface Register {
    doorcode: Doorcode<User>;
  }
}
