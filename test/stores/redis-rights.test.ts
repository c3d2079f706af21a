import { readFileSync } from "node:fs";
import { type Clock, systemClock } from "@doorcode/core/store";
import { createManualClock } from "@doorcode/core/testing";
import { createBullInbox, createRedisStore } from "@doorcode/redis";
import { Redis, type RedisOptions } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { advanceUntil } from "../support/advance-until.ts";
import { isInstalled, type RedisBinary, type RedisServer } from "../support/redis-server.ts";
import { openRedis } from "./redis-setup.ts";

const minute = { ttlSeconds: 60 };
const long = { leaseSeconds: 60, ttlSeconds: 60 };
const key = "a".repeat(64);
const readme = readFileSync(new URL("../../packages/redis/README.md", import.meta.url), "utf8");
/** The permissions in the README, in its order. */
const [storePermissions = "", inboxPermissions = ""] = readme.match(/(?<=`)[+-]\S+ [+-][^`]+(?=`)/g) ?? [];

/** Connects as a user that has only these permissions. */
async function connectAs(
  server: RedisServer,
  permissions: string,
  options: Pick<RedisOptions, "db" | "enableReadyCheck"> = {},
): Promise<Redis> {
  await server.admin.acl("SETUSER", "app", "reset", "on", ">secret", ...permissions.split(" "));
  const user = { host: "127.0.0.1", username: "app", password: "secret", retryStrategy: () => 20 };
  const client = new Redis({ ...user, ...options, port: server.port, maxRetriesPerRequest: null });
  client.on("error", () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

function openStore(client: Redis) {
  const store = createRedisStore({ client });
  onTestFinished(() => store.close?.());
  return store;
}

function openInbox(client: Redis, clock: Clock = systemClock) {
  const inbox = createBullInbox({ client, clock });
  onTestFinished(() => inbox.close());
  return inbox;
}

async function failureOf(command: Promise<unknown>): Promise<string> {
  return command.then(
    () => "nothing failed",
    (error) => (error.code === "store_unavailable" ? error.message : String(error)),
  );
}

/** Tests one kind of server, where it is installed. */
function testOn(binary: RedisBinary): void {
  describe.skipIf(!isInstalled(binary))(`a user of its own on ${binary}`, () => {
    test("needs only the permissions that the README lists for the store", async () => {
      const server = await openRedis({ binary });
      const client = await connectAs(server, `~doorcode:* ${storePermissions}`);
      const store = openStore(client);
      await store.put("doorcode:key", "value", minute);
      await store.lease("doorcode:key", "token", long);
      await store.settle("doorcode:key", "token", "held", { ...minute, hold: true });
      await store.settle("doorcode:key", "token", undefined, { ...minute, hold: true });
      await store.settle("doorcode:key", "token", "done", minute);
      await store.increment([{ key: "doorcode:counter", by: 1, ...minute }]);
      await store.increment([{ key: "doorcode:counter", by: -1, ...minute }]);
      await store.put("doorcode:counter", undefined, minute);

      expect(storePermissions.split(" ").length).toBeGreaterThan(10);
      expect(await store.get(["doorcode:key", "doorcode:counter"])).toEqual(["done", undefined]);
    });

    test("needs only +select in addition for a database other than 0", async () => {
      const server = await openRedis({ binary });
      const client = await connectAs(server, `~doorcode:* ${storePermissions} +select`, { db: 9 });
      const store = openStore(client);
      await store.put("doorcode:key", "value", minute);
      expect(await store.get(["doorcode:key"])).toEqual(["value"]);
      expect(await server.admin.info("keyspace")).toContain("db9:keys=1");
    });

    test("needs only the permissions that the README lists for the inbox", async () => {
      const server = await openRedis({ binary });
      const client = await connectAs(server, `~{doorcode}:* ${inboxPermissions}`);
      const inbox = openInbox(client);
      const errors: unknown[] = [];
      const { promise: taken, resolve } = Promise.withResolvers<string>();
      const handle = async (entry: { readonly body: string }) => {
        resolve(entry.body);
        return { action: "dead_letter", error: { name: "Error", code: undefined, message: "no luck" } } as const;
      };
      const worker = await inbox.work(handle, { concurrency: 2, onError: (error) => errors.push(error) });
      await inbox.add({ key, body: "body" });
      expect(await taken).toBe("body");
      await expect.poll(() => inbox.deadLetters(1)).toHaveLength(1);
      expect(await inbox.findDeadLetters([key])).toHaveLength(1);
      expect(await inbox.replay(key)).toBe(true);
      await worker.stop({ limitSeconds: 5 });
      await inbox.close();

      expect(inboxPermissions).toContain("-@dangerous");
      expect(errors).toEqual([]);
    });

    test("that lacks permission for a command or a key learns which, from the store and from the inbox", async () => {
      const server = await openRedis({ binary });
      const client = await connectAs(server, "~* +@all -evalsha -eval");
      expect(await failureOf(openStore(client).put("key", "value", minute))).toMatch(/store: .*EVALSHA/);
      expect(await failureOf(openInbox(client).add({ key, body: "" }))).toMatch(/inbox: .*\+@all -@dangerous/);

      await server.admin.acl("SETUSER", "app", "resetkeys", "~other:*", "+evalsha", "+eval");
      expect(await failureOf(openStore(client).put("key", "value", minute))).toMatch(/keys of the store: .*~/);
      expect(await failureOf(openInbox(client).add({ key, body: "" }))).toMatch(/keys of the inbox: .*~/);

      await server.admin.acl("SETUSER", "app", "allkeys", "-hset");
      expect(await failureOf(openStore(client).put("key", "value", minute))).toMatch(/store: .*\bHSET\b/);
    });
  });

  describe.skipIf(!isInstalled(binary))(`a user on ${binary} without permission for the database of its client`, () => {
    test("gets no answers of the store from another database, and gets them from its own once permitted", async () => {
      const server = await openRedis({ binary });
      const client = await connectAs(server, "~* +@all -select", { db: 9 });
      const store = openStore(client);
      await server.admin.hset("key", "v", "of database 0");
      // At the first connection and at later ones.
      for (let times = 0; times < 3; times++) expect(await failureOf(store.get(["key"]))).toContain("+select");
      expect(await failureOf(store.put("written", "value", minute))).toContain("+select");

      await server.admin.acl("SETUSER", "app", "+select");
      const answered = () => store.get(["key"]).catch(() => "refused");
      await expect.poll(answered).toEqual([undefined]);

      await server.admin.acl("SETUSER", "app", "-select");
      await server.admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      await expect.poll(() => failureOf(store.get(["key"]))).toContain("+select");
      expect(await server.admin.keys("*")).toEqual(["key"]);
    });

    test("neither adds events to another database nor gets events from it", async () => {
      const server = await openRedis({ binary });
      const other = openInbox(await connectAs(server, "~* +@all -select"));
      await other.add({ key, body: "of database 0" });
      const clock = createManualClock();
      const inbox = openInbox(await connectAs(server, "~* +@all -select", { db: 9 }), clock);
      const errors: unknown[] = [];
      const taken: unknown[] = [];
      const first = Promise.withResolvers<void>();
      const handle = async (entry: unknown) => {
        taken.push(entry);
        first.resolve();
        return { action: "complete" } as const;
      };
      const working = inbox.work(handle, { concurrency: 2, onError: (error) => errors.push(error) });
      expect(await failureOf(inbox.add({ key: "b".repeat(64), body: "" }))).toContain("+select");
      await expect.poll(() => errors.map(String)).toContainEqual(expect.stringContaining("+select"));
      // A worker waits two seconds for its connection before it begins without it.
      const worker = await advanceUntil({ clock }, working);
      expect(await server.admin.llen("{doorcode}:webhooks:wait")).toBe(1);

      await server.admin.acl("SETUSER", "app", "+select");
      const added = () => inbox.add({ key: "b".repeat(64), body: "of database 9" }).catch(() => "refused");
      await expect.poll(added).toBeUndefined();
      // The worker pauses for a second after each error.
      await advanceUntil({ clock }, first.promise);
      await worker.stop({ limitSeconds: 5 });
      expect(taken).toMatchObject([{ body: "of database 9" }]);
    });

    test("does not wait for events in another database after the waiting connection was lost", async () => {
      const server = await openRedis({ binary });
      const clock = createManualClock();
      const inbox = openInbox(await connectAs(server, "~* +@all", { db: 9 }), clock);
      const errors: string[] = [];
      const onError = (error: unknown) => errors.push(String(error));
      const worker = await inbox.work(async () => ({ action: "complete" }), { concurrency: 1, onError });
      const waiting = async () =>
        String(await server.admin.client("LIST")).match(/id=(\d+) .* db=(\d+) .*cmd=bzpopmin/);
      await expect.poll(async () => (await waiting())?.[2]).toBe("9");
      await server.admin.acl("SETUSER", "app", "-select");
      await server.admin.client("KILL", "ID", `${(await waiting())?.[1]}`);
      const refused = () => errors.filter((error) => error.includes("+select")).length;
      await expect.poll(refused).toBeGreaterThan(3);
      expect(await waiting()).toBeNull();
      const stopped = worker.stop({ limitSeconds: 5 });
      await clock.advance(5000);
      await stopped;
    });

    test("gets no answers from another database when its own does not exist", async () => {
      const server = await openRedis({ binary });
      const client = await connectAs(server, "~* +@all", { db: 99 });
      expect(await failureOf(openStore(client).put("key", "value", minute))).toContain("such a database");
      expect(await server.admin.dbsize()).toBe(0);
    });
  });
}

testOn("redis-server");
testOn("valkey-server");
