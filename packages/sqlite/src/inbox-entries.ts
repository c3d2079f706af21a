import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { type HeldEntry, type InboxEntries, maxSharedDeaths, openEntrySeconds } from "@doorcode/core/inbox";
import type { Clock } from "@doorcode/core/store";
import { inboxStatements } from "./schema.ts";
import type { Transactions } from "./transactions.ts";

/** A connection to a file, and its transactions. */
export interface OpenFile {
  readonly database: DatabaseSync;
  readonly transactions: Transactions;
}

/** The parts that the entries of an inbox work with. */
export interface InboxEntriesDeps {
  /** The connection that adds entries. */
  readonly adding: OpenFile;
  /** The connection of everything else. */
  readonly working: OpenFile;
  readonly clock: Clock;
  readonly takeOverSeconds: number;
}

/** Each change removes so many expired entries, so that they stay a small part of the file and no change takes long. */
const sweptPerChange = 4;

/** Prepares the statements of an inbox. */
export function createInboxEntries({ adding, working, clock, takeOverSeconds }: InboxEntriesDeps): InboxEntries {
  const { database } = working;
  const { read } = working.transactions;
  const add = adding.database.prepare(inboxStatements.add);
  const due = database.prepare(inboxStatements.due);
  const take = database.prepare(inboxStatements.take);
  const renew = database.prepare(inboxStatements.renew);
  const settle = database.prepare(inboxStatements.settle);
  const dead = database.prepare(inboxStatements.deadLetters);
  const replay = database.prepare(inboxStatements.replay);
  const sweep = database.prepare(inboxStatements.sweep);

  function change<Result>(work: (now: number) => Result): Promise<Result> {
    return working.transactions.run(() => {
      const now = clock.now();
      sweep.run(now, sweptPerChange);
      return work(now);
    });
  }

  function readDue(holder: string, now: number, max: number): readonly HeldEntry[] {
    return due.all(now, now, max).map(({ key, body, failures, replayed, deaths }) => ({
      entry: { key: String(key), body: textOf(body), failures: Number(failures), replayed: replayed === 1 },
      holder,
      deaths: Number(deaths),
    }));
  }

  const openExpiry = (now: number) => now + openEntrySeconds * 1000;
  const takeOverAt = (now: number) => now + takeOverSeconds * 1000;

  return {
    add: ({ key, body }) =>
      adding.transactions.run(() => {
        const now = clock.now();
        add.run({ key, body: Buffer.from(body), now, expires_at: openExpiry(now) });
      }),
    take: ({ max, isIdle }) =>
      change((now) => {
        const found = readDue(randomUUID(), now, max);
        const alone = found.findIndex(({ deaths }) => deaths >= maxSharedDeaths);
        const isTakenAlone = alone === 0 && isIdle;
        const taken = alone === -1 ? found : found.slice(0, isTakenAlone ? 1 : alone);
        for (const { entry, holder, deaths } of taken) {
          take.run(holder, deaths, takeOverAt(now), openExpiry(now), entry.key);
        }
        return taken;
      }),
    renew: (held) =>
      change((now) => {
        for (const { entry, holder } of held) renew.run(takeOverAt(now), entry.key, holder);
      }),
    settle: ({ entry, holder }, { state, dueSeconds, keepSeconds, failures, error }) =>
      change((now) => {
        const [dueAt, expiresAt] = [now + dueSeconds * 1000, now + keepSeconds * 1000];
        const errorText = error ? JSON.stringify(error) : null;
        return settle.run(now, state, dueAt, expiresAt, failures, errorText, entry.key, holder).changes === 1;
      }),
    deadLetters: (limit) =>
      read(() =>
        dead.all(clock.now(), limit).map(({ key, body, error, settled_at }) => {
          const { name, code, message } = JSON.parse(String(error));
          return {
            key: String(key),
            body: textOf(body),
            error: { name, code, message },
            failedAtMilliseconds: Number(settled_at),
          };
        }),
      ),
    replay: (key) => change((now) => replay.run({ key, now, expires_at: openExpiry(now) }).changes === 1),
    check: () => read(() => void dead.all(0, 0)),
    async close() {
      for (const { transactions } of [adding, working]) transactions.close();
    },
  };
}

function textOf(column: unknown): string {
  return column instanceof Uint8Array ? Buffer.from(column).toString() : "";
}
