import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { User } from "../express-login/users.ts";

/** The users of all processes. A real app has a table, with a unique index on the phone number. */
export interface Users {
  get(id: string): Promise<User | undefined>;
  findOrCreate(phone: string): Promise<User>;
}

export function createUsers(redis: Redis): Users {
  async function get(id: string): Promise<User | undefined> {
    const text = await redis.hget("users", id);
    if (text === null) return undefined;
    const { phone, since }: { phone: string; since: string } = JSON.parse(text);
    return { id, phone, since: new Date(since) };
  }

  return {
    get,
    async findOrCreate(phone) {
      // Of two processes that meet a new number at once, one names its user, and both find that one.
      await redis.hsetnx("user-ids", phone, randomUUID());
      const id = String(await redis.hget("user-ids", phone));
      const user: User = { id, phone, since: new Date() };
      await redis.hsetnx("users", id, JSON.stringify(user));
      return (await get(id)) ?? user;
    },
  };
}
