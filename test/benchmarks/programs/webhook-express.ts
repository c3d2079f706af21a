import { createDoorcode, createMemoryStore } from "@doorcode/core";
import { webhooks } from "@doorcode/express";
import express, { type Request, type Response } from "express";
import { serveHttp } from "../measure/program.ts";
import { handle, handleBody, handleBodyOnce } from "./bare-handling.ts";
import { isAuthentic } from "./bare-signature.ts";
import { secret } from "./deliveries.ts";
import { limitBytes, readBytes } from "./read-bytes.ts";

const app = express();

const word = process.argv[2];
const handleBare = word === "marks" ? handleBodyOnce : handleBody;

if (word === "kit") {
  const doorcode = createDoorcode({
    store: createMemoryStore(),
    webhooks: { secret, on: { "message.status.update": handle } },
  });
  app.use("/webhooks", webhooks(doorcode));
} else if (word === "bare" || word === "marks") {
  app.post("/webhooks", express.raw({ type: () => true, limit: limitBytes }), (req, res) =>
    receive(req.body, req, res),
  );
} else {
  app.post("/webhooks", async (req, res) => receive(await readBytes(req), req, res));
}

serveHttp(app);

/** Verifies, parses and handles, as a route without the kit does at least. */
async function receive(body: Buffer | undefined, req: Request, res: Response): Promise<void> {
  if (body === undefined) return void res.status(413).end();
  if (!isAuthentic(req.headers, body)) return void res.status(401).end();
  await handleBare(body);
  res.status(204).end();
}
