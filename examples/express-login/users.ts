import { randomUUID } from "node:crypto";

/** A user of the example. */
export interface User {
  /** The user's id, which the session holds. */
  readonly id: string;
  /** The number in E.164. */
  readonly phone: string;
}

/** The app's users, in memory. A real app has a table with a unique index on the phone number. */
export interface Users {
  /** Returns the user with this id. */
  get(id: string): User | undefined;
  /** Returns the user with this phone number, and creates one if there is none. */
  findOrCreate(phone: string): User;
}

/** Creates an empty set of users. */
export function createUsers(): Users {
  const byId = new Map<string, User>();
  const byPhone = new Map<string, User>();
  return {
    get: (id) => byId.get(id),
    findOrCreate(phone) {
      const user = byPhone.get(phone) ?? { id: randomUUID(), phone };
      byPhone.set(phone, user);
      byId.set(user.id, user);
      return user;
    },
  };
}
