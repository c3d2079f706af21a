import { type PlainRequest, requestOf, sendAll } from "./measure/load.ts";
import { measureRow, withPeers } from "./measure/run.ts";
import { startServer } from "./measure/server-subject.ts";
import type { Role, StartSubject } from "./measure/subject.ts";
import { createDelivery, headersOf, signatureOf } from "./programs/deliveries.ts";

/** What it costs to receive a webhook over HTTP: each delivery is about another message, so none is dropped as a duplicate. */
function ofService(): PlainRequest {
  const delivery = createDelivery(1024);
  return { bytes: requestOf("POST", "/webhooks", headersOf(delivery), delivery.body), status: 204 };
}

function ofStripe(): PlainRequest {
  const delivery = createDelivery(1024);
  const headers = {
    "content-type": "application/json",
    "stripe-signature": `t=${delivery.timestamp},v1=${signatureOf(delivery)}`,
  };
  return { bytes: requestOf("POST", "/webhooks", headers, delivery.body), status: 200 };
}

function start(name: string, role: Role, program: string, word: string, create = ofService): StartSubject {
  async function prepare(port: number, operations: number): Promise<() => Promise<void>> {
    const requests = Array.from({ length: operations }, create);
    return () => sendAll(port, requests);
  }
  return (checkout) => startServer({ name, role, program, words: [word], checkout, prepare });
}

for (const framework of ["Express", "Fastify"] as const) {
  const file = `webhook-${framework.toLowerCase()}.ts`;
  await measureRow(`webhook on ${framework}`, [
    start("bare", "limit", `programs/${file}`, "bare"),
    start("bare again", "noise", `programs/${file}`, "bare"),
    ...(framework === "Express"
      ? [start("bare, without express.raw", "reference", `programs/${file}`, "by hand")]
      : []),
    start("bare, with parseEvent and a mark for each message", "reference", `programs/${file}`, "marks"),
    start("webhooks(doorcode)", "doorcode", `programs/${file}`, "kit"),
    ...(withPeers ? [start("stripe", "peer", `peers/${file}`, "stripe", ofStripe)] : []),
  ]);
}
