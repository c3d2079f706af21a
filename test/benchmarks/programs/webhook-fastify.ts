import { createDoorcode, createMemoryStore } from "@doorcode/core";
import { webhooks } from "@doorcode/fastify";
import fastify from "fastify";
import { serveHttp } from "../measure/program.ts";
import { handle, handleBody, handleBodyOnce } from "./bare-handling.ts";
import { isAuthentic } from "./bare-signature.ts";
import { secret } from "./deliveries.ts";
import { limitBytes } from "./read-bytes.ts";

const app = fastify({ bodyLimit: limitBytes });

if (process.argv[2] === "kit") {
  const doorcode = createDoorcode({
    store: createMemoryStore(),
    webhooks: { secret, on: { "message.status.update": handle } },
  });
  await app.register(webhooks(doorcode), { prefix: "/webhooks" });
} else {
  const handleBare = process.argv[2] === "marks" ? handleBodyOnce : handleBody;
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.post<{ readonly Body: Buffer }>("/webhooks", async ({ headers, body }, reply) => {
    if (!isAuthentic(headers, body)) return reply.code(401).send();
    await handleBare(body);
    return reply.code(204).send();
  });
}

await app.ready();
serveHttp(app.server);
