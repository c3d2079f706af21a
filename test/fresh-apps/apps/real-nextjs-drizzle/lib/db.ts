import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import * as schema from "./schema";

const createTable = `CREATE TABLE IF NOT EXISTS users (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email text UNIQUE,
  phone text UNIQUE,
  "createdAt" timestamp NOT NULL DEFAULT now()
)`;

/** One database for all parts of the app: Next.js may load this file once for each route. */
const memory = globalThis as typeof globalThis & { database?: Promise<PGlite> };

async function open() {
  const client = await PGlite.create();
  await client.exec(createTable);
  return client;
}

memory.database ??= open();

export const db = drizzle(await memory.database, { schema });
