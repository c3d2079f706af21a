import { randomUUID } from "node:crypto";
import type { User, Users } from "../express-login/users.ts";

/** Users who may have several numbers. */
export interface AccountUsers extends Users {
  /** Returns the numbers of a user, the first one first. */
  phonesOf(id: string): readonly string[];
  /** Adds a number to a user. Returns false if it belongs to somebody else. */
  addPhone(id: string, phone: string): boolean;
  /** Removes a user. */
  remove(id: string): void;
}

/** Creates an empty set of users, in memory. A real app has a table of numbers with a unique index. */
export function createUsers(): AccountUsers {
  const byId = new Map<string, User>();
  const idByPhone = new Map<string, string>();
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
    phonesOf: (id) => [...idByPhone].filter(([, owner]) => owner === id).map(([phone]) => phone),
    addPhone(id, phone) {
      const owner = idByPhone.get(phone) ?? id;
      if (owner === id) idByPhone.set(phone, id);
      return owner === id;
    },
    remove(id) {
      byId.delete(id);
      for (const [phone, owner] of idByPhone) if (owner === id) idByPhone.delete(phone);
    },
  };
}
