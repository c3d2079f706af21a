import { createDoorcode, type Doorcode, serviceCodes, type WebhookEvent } from "@doorcode/core";
import { createBullInbox, createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import type { HandledWebhook } from "../express-login/kit.ts";
import type { User } from "../express-login/users.ts";
import { createUsers } from "./users.ts";

/** A webhook that was handled, and by which process. */
export interface HandledBy extends HandledWebhook {
  readonly key: string;
  readonly by: string;
}

export interface Kit {
  readonly doorcode: Doorcode<User>;
  /** The newest webhooks that any process handled. */
  handled(): Promise<readonly HandledBy[]>;
  close(): Promise<void>;
}

/** What one process has of the app: everything that all of them must know is in Redis. */
export function createKit(env: NodeJS.ProcessEnv): Kit {
  const name = env.NAME ?? `process ${process.pid}`;
  const redis = new Redis(env.REDIS_URL ?? "redis://127.0.0.1:6379", { keyPrefix: "doorcode-cluster:" });
  redis.on("error", (error) => process.stderr.write(`Redis: ${error.message}\n`));
  const users = createUsers(redis);

  // Written anew at each call, so that an event that is handled twice is seen here. Effects of yours that must not
  // stand twice are keyed by `event.key`.
  async function keep({ key, kind }: WebhookEvent, ...told: (string | undefined)[]): Promise<void> {
    const handled: HandledBy = { key, kind, status: told.filter(Boolean).join(" "), by: name };
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
        "verification.update": (event) => keep(event, event.data.status, event.data.channel, event.data.channel_status),
        "message.status.update": (event) => keep(event, event.data.status),
      },
    },
  });

  return {
    doorcode,
    handled: async () => (await redis.lrange("handled", 0, 99)).map((text): HandledBy => JSON.parse(text)),
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
