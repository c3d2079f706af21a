import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { User } from "../express-login/users.ts";

/** The users of all processes, in Redis. A real app has a table with a unique index on the phone number. */
export interface Users {
  /** Returns the user with this id. */
  get(id: string): Promise<User | undefined>;
  /** Returns the user with this phone number, and creates one if there is none. */
  findOrCreate(phone: string): Promise<User>;
}

/** Creates the users of an app on its Redis. */
export function createUsers(redis: Redis): Users {
  async function get(id: string): Promise<User | undefined> {
    const text = await redis.hget("users", id);
    if (text === null) return undefined;
    const user: User = JSON.parse(text);
    return user;
  }

  return {
    get,
    async findOrCreate(phone) {
      // Two processes may see a new number at the same time. Only one of them sets the user id, and both then read it.
      await redis.hsetnx("user-ids", phone, randomUUID());
      const id = String(await redis.hget("user-ids", phone));
      const user: User = { id, phone };
      await redis.hsetnx("users", id, JSON.stringify(user));
      return (await get(id)) ?? user;
    },
  };
}
