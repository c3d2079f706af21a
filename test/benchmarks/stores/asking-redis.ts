import { Redis } from "ioredis";
import { startRedis } from "../../support/redis-server.ts";
import { type Candidate, candidates } from "./candidates.ts";

/**
 * The memory store, whose calls also wait for Redis: one `PING` for all calls of a turn of the event loop. It is the least that a store on
 * Redis can cost: nothing is written there, and the answer says nothing.
 */
export async function openAskingRedis(): Promise<Candidate> {
  const memory = await candidates.memory();
  if ("missing" in memory) throw new Error(memory.missing);
  const { store } = memory;
  const server = await startRedis();
  const client = new Redis(server.url);
  let asked: Promise<unknown> | undefined;

  function ask(): Promise<unknown> {
    asked ??= new Promise((resolve, reject) => {
      process.nextTick(() => {
        asked = undefined;
        client.ping().then(resolve, reject);
      });
    });
    return asked;
  }

  return {
    ...memory,
    name: "memory that asks Redis",
    store: {
      ...store,
      get: (...given) => ask().then(() => store.get(...given)),
      put: (...given) => ask().then(() => store.put(...given)),
      increment: (...given) => ask().then(() => store.increment(...given)),
      lease: (...given) => ask().then(() => store.lease(...given)),
      settle: (...given) => ask().then(() => store.settle(...given)),
    },
    async close() {
      client.disconnect();
      await server.stop();
    },
  };
}
