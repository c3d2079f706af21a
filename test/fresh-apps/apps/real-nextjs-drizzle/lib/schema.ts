import { integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";

export const users = pgTable("users", {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  email: text().unique(),
  phone: text().unique(),
  createdAt: timestamp().notNull().defaultNow(),
});
