import { randomUUID } from "node:crypto";
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

/** Creates an empty set of users, in memory. A real app has a table of numbers with a unique index. */
export function createUsers(): AccountUsers {
  const byId = new Map<string, User>();
  const idByPhone = new Map<string, string>();
  const phonesOf = (id: string) => [...idByPhone].filter(([, owner]) => owner === id).map(([phone]) => phone);
  return {
    get: (id) => byId.get(id),
    findOrCreate(phone) {
      const known = byId.get(idByPhone.get(phone) ?? "");
      if (known) return known;
      const user = { id: randomUUID(), phone };
      byId.set(user.id, user);
      idByPhone.set(phone, user.id);
      return user;
    },
    phonesOf,
    addPhone(id, phone) {
      const owner = idByPhone.get(phone) ?? id;
      if (owner === id) idByPhone.set(phone, id);
      return owner === id;
    },
    // A real app deletes the row in a statement that counts the user's other rows.
    removePhone(id, phone) {
      if (idByPhone.get(phone) !== id) return "unknown";
      const [next] = phonesOf(id).filter((other) => other !== phone);
      if (next === undefined) return "last_way_in";
      idByPhone.delete(phone);
      byId.set(id, { id, phone: next });
      return "removed";
    },
    remove(id) {
      byId.delete(id);
      for (const [phone, owner] of idByPhone) if (owner === id) idByPhone.delete(phone);
    },
  };
}
