export type { RedisClient } from "./connection/client.ts";
export { createBullInbox } from "./inbox/bull-inbox.ts";
export type { BullInboxOptions } from "./inbox/bull-options.ts";
export { createRedisStore, type RedisStoreOptions } from "./store/redis-store.ts";
