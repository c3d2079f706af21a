import { EventEmitter } from "node:events";
import { setImmediate } from "node:timers/promises";
import { createRedisStore, type RedisClient } from "@doorcode/redis";
import { expect, test } from "vitest";
import { watchReadiness } from "../src/connection/readiness.ts";

/** A client whose events and replies a test gives. */
class FakeClient extends EventEmitter {
  status = "ready";
  readonly options = {};
  duplicate(): FakeClient {
    return this;
  }
  defineCommand(name: string): void {
    // The reply of the script that counts, in the last millisecond of a counter.
    Object.assign(this, { [name]: async () => [1, "3", 0] });
  }
  disconnect(): void {
    this.status = "end";
  }
}

const asClient = (fake: FakeClient) => fake as unknown as RedisClient;

test("a counter in its last millisecond has a second left, so that nobody comes back before it has expired", async () => {
  const store = createRedisStore({ client: asClient(new FakeClient()) });
  expect(await store.increment([{ key: "key", by: 0, ttlSeconds: 60 }])).toEqual([
    { granted: true, count: 3, secondsLeft: 1 },
  ]);
  await store.close?.();
});

test("a connection whose database was refused sends nothing, also when it is reported as ready before it ends", async () => {
  const client = Object.assign(new FakeClient(), { status: "connecting" });
  const waiting = watchReadiness(asClient(client))();
  const refused = Object.assign(new Error("NOPERM"), { name: "ReplyError", command: { name: "select" } });
  client.emit("error", refused);
  client.status = "ready";
  client.emit("ready");
  await setImmediate();
  client.status = "reconnecting";
  client.emit("close");
  await expect(waiting).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringContaining("Redis refused the database"),
  });
});
