export type { RedisClient, RedisStoreOptions } from "./options.ts";
export { createRedisStore } from "./store.ts";
