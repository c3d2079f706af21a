export { createBullInbox } from "./bull-inbox.ts";
export type { BullInboxOptions } from "./bull-options.ts";
export type { RedisClient, RedisStoreOptions } from "./options.ts";
export { createRedisStore } from "./store.ts";
