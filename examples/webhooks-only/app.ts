import { createDoorcode } from "@doorcode/core";
import { webhooks } from "@doorcode/express";
import express, { type Express } from "express";

/**
 * Creates an app without a login. It handles the service's signed webhooks, once and in order, and prints each status.
 *
 * It has no route that shows what it received. Without a login, such a route would show it to anyone who can connect.
 */
export function createApp(env: NodeJS.ProcessEnv = process.env): Express {
  const doorcode = createDoorcode({
    // Tells the kit that the service is the sandbox, whose signing secret is public.
    service: { baseUrl: env.SERVICE_URL, apiKey: env.SERVICE_API_KEY },
    webhooks: {
      secret: env.WEBHOOK_SECRET,
      on: {
        "message.status.update": ({ data }) => {
          process.stdout.write(`${data.message_id} ${data.status}\n`);
        },
      },
    },
  });
  const app = express();
  app.use("/webhooks", webhooks(doorcode));
  return app;
}
