import { createDoorcode } from "@doorcode/core";
import type { Inbox } from "@doorcode/core/inbox";
import type { Store } from "@doorcode/core/store";
import { createBullInbox, createRedisStore } from "@doorcode/redis";
import { createSqliteInbox, createSqliteStore } from "@doorcode/sqlite";
import { Cluster, Redis } from "ioredis";

/** A message from the process to the test. */
export type EndingNote = "ready" | "reconnecting";

/** Where the process keeps its store and inbox. */
export type EndingKind = "single" | "cluster" | "file";

const tell = (note: EndingNote) => process.send?.(note);

// An app like that of a README, which ends when it is told to. Its time limits are short, so that the test is.
const [place = "", works, kind] = process.argv.slice(2);
const { store, inbox, disconnect } = kind === "file" ? openFile(place) : openRedis(place);
const doorcode = createDoorcode({ store, webhooks: { secret: "whk_of_the_tests", inbox } });
if (works === "works") void doorcode.work();

interface Opened {
  readonly store: Store;
  readonly inbox: Inbox;
  disconnect(): void;
}

function openFile(file: string): Opened {
  process.nextTick(tell, "ready");
  return { store: createSqliteStore({ file }), inbox: createSqliteInbox({ file }), disconnect() {} };
}

function openRedis(url: string): Opened {
  const client =
    kind === "cluster"
      ? new Cluster([url], { clusterRetryStrategy: () => 20 })
      : new Redis(url, { retryStrategy: () => 20, disconnectTimeout: 100 });
  client.on("error", () => undefined);
  client.on("ready", () => tell("ready"));
  client.on("reconnecting", () => tell("reconnecting"));
  return {
    store: createRedisStore({ client }),
    inbox: createBullInbox({ client, timeoutSeconds: 0.2 }),
    disconnect: () => client.disconnect(),
  };
}

process.once("message", async () => {
  await doorcode.close();
  disconnect();
  process.disconnect();
});
