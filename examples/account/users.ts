import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { RemovalAnswer } from "@doorcode/core";
import type { User, Users } from "../express-login/users.ts";

/** Users who may have several numbers. */
export interface AccountUsers extends Users {
  /** Returns the numbers of a user, the first one first. */
  phonesOf(id: string): readonly string[];
  /** Adds a number to a user. Returns false if it belongs to somebody else. */
  addPhone(id: string, phone: string): boolean;
  /** Removes a number of a user, but never the last one. */
  removePhone(id: string, phone: string): RemovalAnswer;
  /** Removes a user. */
  remove(id: string): void;
}

/** Creates the table of numbers and their users in a SQLite file of the app, or in memory. */
export function createUsers(file = ":memory:"): AccountUsers {
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE IF NOT EXISTS numbers (phone TEXT PRIMARY KEY, user TEXT NOT NULL)");
  // A number that is there keeps its user: the primary key decides, also about two logins at the same time.
  const add = database.prepare(
    "INSERT INTO numbers (user, phone) VALUES (?, ?) ON CONFLICT (phone) DO UPDATE SET user = user RETURNING user",
  );
  const numbersOf = database.prepare("SELECT phone FROM numbers WHERE user = ? ORDER BY rowid");
  const removeOneOfSeveral = database.prepare(
    "DELETE FROM numbers WHERE user = ? AND phone = ? AND (SELECT count(*) FROM numbers AS own WHERE own.user = numbers.user) > 1",
  );
  const removeAll = database.prepare("DELETE FROM numbers WHERE user = ?");

  const ownerAfter = (id: string, phone: string) => String(add.get(id, phone)?.user);
  const phonesOf = (id: string) => numbersOf.all(id).map((row) => String(row.phone));
  function get(id: string): User | undefined {
    const [phone] = phonesOf(id);
    return phone === undefined ? undefined : { id, phone };
  }

  return {
    get,
    findOrCreate(phone) {
      const id = ownerAfter(randomUUID(), phone);
      return get(id) ?? { id, phone };
    },
    phonesOf,
    addPhone: (id, phone) => ownerAfter(id, phone) === id,
    removePhone(id, phone) {
      if (removeOneOfSeveral.run(id, phone).changes > 0) return "removed";
      return phonesOf(id).includes(phone) ? "last_way_in" : "unknown";
    },
    remove: (id) => void removeAll.run(id),
  };
}
