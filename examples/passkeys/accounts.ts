import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { RemovalAnswer } from "@doorcode/core";

/** A user of the example. */
export interface User {
  /** A random id. It is also the user handle in each passkey, which must not tell who the person is. */
  readonly id: string;
  /** The number in E.164; `null` for a user who has removed it. */
  readonly phone: string | null;
}

/** A passkey of a user. Instants are Unix milliseconds. */
export interface Passkey {
  /** The id of the credential, in base64url. */
  readonly id: string;
  readonly userId: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** The signature counter; 0 for passkeys that are synced, which do not count. */
  readonly counter: number;
  /** How browsers reach the authenticator, as they said at the registration. */
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** Users, with the two ways in that each of them has: a number, and passkeys. */
export interface Accounts {
  get(userId: string): User | undefined;
  /** Returns the user with this number, and creates one if there is none. */
  findOrCreate(phone: string): User;
  /** Gives a user this number, in place of the one before. Returns false if it belongs to somebody else. */
  setPhone(userId: string, phone: string): boolean;
  /** Removes the number of a user who has a passkey. */
  removePhone(userId: string, phone: string): RemovalAnswer;
  /** Returns the passkeys of a user, the newest first. */
  passkeysOf(userId: string): readonly Passkey[];
  findPasskey(id: string): Passkey | undefined;
  /** Returns false if a credential of this id is known already. */
  addPasskey(passkey: Omit<Passkey, "lastUsedAt">): boolean;
  /** Notes a use of a passkey. Returns false if it was removed meanwhile, or if another use has counted further. */
  usePasskey(id: string, newCounter: number, usedAt: number): boolean;
  /** Removes a passkey of a user who has another one, or a number. */
  removePasskey(userId: string, id: string): RemovalAnswer;
}

/** Creates the accounts in a database. Every change is one statement, so that two at the same time cannot remove both ways in. */
export function createAccounts(database: DatabaseSync): Accounts {
  database.exec(`
    create table if not exists users (id text primary key, phone text unique);
    create table if not exists passkeys (
      id text primary key, user_id text not null references users, public_key blob not null, counter integer not null,
      transports text not null, name text not null, created_at integer not null, last_used_at integer
    );
    create index if not exists passkeys_of_user on passkeys (user_id)`);

  const all = (sql: string, ...values: (string | number)[]) => database.prepare(sql).all(...values);
  const run = (sql: string, ...values: (string | number | Uint8Array)[]) =>
    database.prepare(sql).run(...values).changes === 1;

  const get = (userId: string) => all("select id, phone from users where id = ?", userId)[0] as User | undefined;

  return {
    get,
    findOrCreate(phone) {
      run("insert into users (id, phone) values (?, ?) on conflict (phone) do nothing", randomUUID(), phone);
      const [user] = all("select id, phone from users where phone = ?", phone);
      return user as unknown as User;
    },
    setPhone: (userId, phone) => run("update or ignore users set phone = ? where id = ?", phone, userId),
    removePhone(userId, phone) {
      const isRemoved = run(
        `update users set phone = null where id = ? and phone = ?
         and exists (select 1 from passkeys where user_id = users.id)`,
        userId,
        phone,
      );
      if (isRemoved) return "removed";
      return get(userId)?.phone === phone ? "last_way_in" : "unknown";
    },
    passkeysOf: (userId) =>
      all("select * from passkeys where user_id = ? order by created_at desc", userId).map(toPasskey),
    findPasskey: (id) => all("select * from passkeys where id = ?", id).map(toPasskey)[0],
    addPasskey: ({ id, userId, publicKey, counter, transports, name, createdAt }) =>
      run(
        `insert into passkeys (id, user_id, public_key, counter, transports, name, created_at)
         values (?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
        ...[id, userId, publicKey, counter, JSON.stringify(transports), name, createdAt],
      ),
    usePasskey: (id, newCounter, usedAt) =>
      run(
        `update passkeys set counter = ?, last_used_at = ?
         where id = ? and (counter < ? or (counter = 0 and ? = 0))`,
        ...[newCounter, usedAt, id, newCounter, newCounter],
      ),
    removePasskey(userId, id) {
      const isRemoved = run(
        `delete from passkeys where id = ? and user_id = ? and (
           exists (select 1 from users where id = passkeys.user_id and phone is not null)
           or (select count(*) from passkeys as all_of_user where all_of_user.user_id = passkeys.user_id) > 1)`,
        id,
        userId,
      );
      if (isRemoved) return "removed";
      return all("select 1 from passkeys where id = ? and user_id = ?", id, userId).length > 0
        ? "last_way_in"
        : "unknown";
    },
  };
}

function toPasskey(row: Record<string, unknown>): Passkey {
  return {
    id: row.id as string,
    userId: row.user_id as string,
    publicKey: row.public_key as Uint8Array<ArrayBuffer>,
    counter: row.counter as number,
    transports: JSON.parse(row.transports as string) as readonly string[],
    name: row.name as string,
    createdAt: row.created_at as number,
    lastUsedAt: row.last_used_at as number | null,
  };
}
