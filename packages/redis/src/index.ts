export type { RedisClient } from "./connection/client.ts";
export { createBullInbox } from "./inbox/bull-inbox.ts";
export type { BullInboxOptions } from "./inbox/bull-options.ts";
export type { RedisStoreOptions } from "./store/options.ts";
export { createRedisStore } from "./store/redis-store.ts";
