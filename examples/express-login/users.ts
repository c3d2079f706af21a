import { randomUUID } from "node:crypto";

/** A user of the example. */
export interface User {
  readonly id: string;
  readonly phone: string;
  readonly since: Date;
}

/** The app's users. A real app has a table, with a unique index on the phone number. */
export interface Users {
  get(id: string): User | undefined;
  findOrCreate(phone: string): User;
}

export function createUsers(): Users {
  const byId = new Map<string, User>();
  const byPhone = new Map<string, User>();
  return {
    get: (id) => byId.get(id),
    findOrCreate(phone) {
      const user = byPhone.get(phone) ?? { id: randomUUID(), phone, since: new Date() };
      byPhone.set(phone, user);
      byId.set(user.id, user);
      return user;
    },
  };
}
