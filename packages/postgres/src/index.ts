export { createEventTransactions, type EventTransactionsOptions, type TransactionScope } from "./event-transactions.ts";
export { createBossInbox } from "./inbox/boss-inbox.ts";
export type { BossInboxOptions } from "./inbox/boss-options.ts";
export type { CleaningOptions } from "./store/cleaning.ts";
export { migrate } from "./store/migrate.ts";
export { migration } from "./store/migration.ts";
export { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from "./store/postgres-store.ts";
export type { SettleOptions } from "./store/settle.ts";
export type { TableOptions } from "./store/table.ts";
