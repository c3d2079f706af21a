import { createDoorcode } from "@doorcode/core";
import { webhooks } from "@doorcode/express";
import express, { type Express } from "express";

/** Creates an app without a login. It handles the service's signed webhooks, once and in order. */
export function createApp(env: NodeJS.ProcessEnv = process.env): Express {
  const statuses = new Map<string, string>();
  const doorcode = createDoorcode({
    webhooks: {
      secret: env.WEBHOOK_SECRET,
      on: {
        "message.status.update": ({ data }) => {
          if (data.message_id && data.status) statuses.set(data.message_id, data.status);
        },
      },
    },
  });
  const app = express();
  app.use("/webhooks", webhooks(doorcode));
  app.get("/messages", (_req, res) => {
    res.json(Object.fromEntries(statuses));
  });
  return app;
}
