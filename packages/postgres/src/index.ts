export type { CleaningOptions } from "./cleaning.ts";
export { migrate } from "./migrate.ts";
export { migration } from "./migration.ts";
export { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from "./postgres-store.ts";
export type { SettleOptions } from "./settle.ts";
export type { TableOptions } from "./table.ts";
