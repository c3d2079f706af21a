import { createDoorcode } from "@doorcode/core";
import { createBullInbox, createRedisStore } from "@doorcode/redis";
import { Cluster, Redis } from "ioredis";

/** A message from the process to the test. */
export type EndingNote = "ready" | "reconnecting";

const tell = (note: EndingNote) => process.send?.(note);

// An app like that of a README, which ends when it is told to. Its time limits are short, so that the test is.
const [url = "", works, kind] = process.argv.slice(2);
const client = createClient();
client.on("error", () => undefined);
const store = createRedisStore({ client });
const inbox = createBullInbox({ client, timeoutSeconds: 0.2 });
const doorcode = createDoorcode({ store, webhooks: { secret: "whk_of_the_tests", inbox } });
if (works === "works") void doorcode.work();

client.on("ready", () => tell("ready"));
client.on("reconnecting", () => tell("reconnecting"));
function createClient(): Redis | Cluster {
  if (kind === "cluster") return new Cluster([url], { clusterRetryStrategy: () => 20 });
  return new Redis(url, { retryStrategy: () => 20, disconnectTimeout: 100 });
}

process.once("message", async () => {
  await doorcode.close();
  client.disconnect();
  process.disconnect();
});
