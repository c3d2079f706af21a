import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";

/** A user of the example. */
export interface User {
  /** The user's id, which the session holds. */
  readonly id: string;
  /** The number in E.164. */
  readonly phone: string;
}

/** The app's users. */
export interface Users {
  /** Returns the user with this id. */
  get(id: string): User | undefined;
  /** Returns the user with this phone number, and creates one if there is none. */
  findOrCreate(phone: string): User;
}

/** Creates the table of users in a SQLite file of the app, or in memory. */
export function createUsers(file = ":memory:"): Users {
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, phone TEXT NOT NULL UNIQUE)");
  const select = database.prepare("SELECT id, phone FROM users WHERE id = ?");
  // The unique number decides, so two logins at the same time make one user.
  const findOrCreate = database.prepare(
    "INSERT INTO users (id, phone) VALUES (?, ?) ON CONFLICT (phone) DO UPDATE SET phone = phone RETURNING id, phone",
  );
  return {
    get: (id) => select.get(id) as User | undefined,
    findOrCreate: (phone) => findOrCreate.get(randomUUID(), phone) as unknown as User,
  };
}
