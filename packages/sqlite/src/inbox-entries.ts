import { randomUUID } from "node:crypto";
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import { type InboxEntries, maxSharedDeaths, openEntrySeconds, type TakenEntry } from "@doorcode/core/inbox";
import type { Clock } from "@doorcode/core/store";
import { textOf } from "./entries.ts";
import type { Transactions } from "./transactions.ts";

/** Each change of a worker removes so many expired entries, so that they stay a small part of the file and no change takes long. */
const sweptPerChange = 4;

/** Prepares the statements of an inbox: `adding` adds entries, and `working` does everything else. */
export function createInboxEntries(
  adding: Transactions,
  working: Transactions,
  clock: Clock,
  takeOverSeconds: number,
): InboxEntries {
  const add = prepareAdding(adding.database);
  const { due, take, renew, settle, dead, findDead, replay, discard, count, sweep } = prepareWorking(working.database);

  function change<Result>(work: (now: number) => Result): Promise<Result> {
    return working.run(() => {
      const now = clock.now();
      sweep.run(now);
      return work(now);
    });
  }

  const openExpiry = (now: number) => now + openEntrySeconds * 1000;
  const takeOverAt = (now: number) => now + takeOverSeconds * 1000;
  const countOf = (state: "open" | "dead") => Number(count.get(state, clock.now())?.entries ?? 0);

  return {
    add: ({ key, body }) =>
      adding.run(() => {
        const now = clock.now();
        add.run({ key, body: Buffer.from(body), now, expires_at: openExpiry(now) });
      }),
    take: ({ max, isIdle }) =>
      change((now) => {
        const holder = randomUUID();
        const found = due.all({ now, max }).map((row) => ({ entry: takenEntryOf(row), holder }));
        const alone = found.findIndex(({ entry }) => entry.deaths >= maxSharedDeaths);
        const isTakenAlone = alone === 0 && isIdle;
        const taken = alone === -1 ? found : found.slice(0, isTakenAlone ? 1 : alone);
        for (const { entry } of taken) take.run(holder, entry.deaths, takeOverAt(now), openExpiry(now), entry.key);
        return taken;
      }),
    renew: (held) =>
      change((now) => {
        for (const { entry, holder } of held) renew.run(takeOverAt(now), entry.key, holder);
      }),
    settle: ({ entry, holder }, { state, dueSeconds, keepSeconds, failures, deaths, error }) =>
      change((now) => {
        const [dueAt, expiresAt] = [now + dueSeconds * 1000, now + keepSeconds * 1000];
        const errorText = error ? JSON.stringify(error) : null;
        return settle.run(deaths, now, state, dueAt, expiresAt, failures, errorText, entry.key, holder).changes === 1;
      }),
    deadLetters: (limit) => working.read(() => dead.all(clock.now(), limit).map(deadLetterOf)),
    findDeadLetters: (keys) =>
      working.read(() => keys.flatMap((key) => findDead.all(key, clock.now()).map(deadLetterOf))),
    replay: (key) => change((now) => replay.run({ key, now, expires_at: openExpiry(now) }).changes === 1),
    discard: (key) => change((now) => discard.run(key, now).changes === 1),
    counts: () => working.read(() => ({ open: countOf("open"), dead: countOf("dead") })),
    check: () => working.read(() => void dead.all(0, 0)),
    async close() {
      for (const transactions of [adding, working]) transactions.close();
    },
  };
}

type Row = Readonly<Record<string, SQLOutputValue>>;

function takenEntryOf({ key, body, failures, replayed, deaths }: Row): TakenEntry {
  const counts = { failures: Number(failures), deaths: Number(deaths) };
  return { key: String(key), body: textOf(body) ?? "", replayed: replayed === 1, ...counts };
}

function deadLetterOf({ key, body, error, settled_at }: Row) {
  const { name, code, message } = JSON.parse(String(error));
  const entry = { key: String(key), body: textOf(body) ?? "", failedAtMilliseconds: Number(settled_at) };
  return { ...entry, error: { name, code, message } };
}

/** Adds an entry, unless it is there already. */
function prepareAdding(database: DatabaseSync): StatementSync {
  return database.prepare(`INSERT OR REPLACE INTO doorcode_inbox (key, body, due_at, expires_at)
SELECT :key, :body, :now, :expires_at WHERE NOT EXISTS (SELECT 1 FROM doorcode_inbox WHERE key = :key AND expires_at > :now)`);
}

/** What workers and operators do. */
function prepareWorking(database: DatabaseSync) {
  return {
    due: database.prepare(`SELECT key, body, failures, replayed, deaths + (holder IS NOT NULL) AS deaths
FROM doorcode_inbox WHERE state = 'open' AND due_at <= :now AND expires_at > :now ORDER BY due_at, rowid LIMIT :max`),
    take: database.prepare(
      "UPDATE doorcode_inbox SET holder = ?, deaths = ?, due_at = ?, expires_at = ? WHERE key = ?",
    ),
    renew: database.prepare("UPDATE doorcode_inbox SET due_at = ? WHERE key = ? AND holder = ?"),
    settle:
      database.prepare(`UPDATE doorcode_inbox SET holder = NULL, deaths = ?, settled_at = ?, state = ?, due_at = ?,
  expires_at = ?, failures = ?, error = ? WHERE key = ? AND holder = ?`),
    dead: database.prepare(`SELECT key, body, error, settled_at FROM doorcode_inbox
WHERE state = 'dead' AND expires_at > ? ORDER BY settled_at DESC LIMIT ?`),
    findDead: database.prepare(
      "SELECT key, body, error, settled_at FROM doorcode_inbox WHERE key = ? AND state = 'dead' AND expires_at > ?",
    ),
    replay: database.prepare(`UPDATE doorcode_inbox SET state = 'open', replayed = 1, error = NULL, failures = 0,
  due_at = :now, expires_at = :expires_at WHERE key = :key AND state <> 'open' AND expires_at > :now`),
    discard: database.prepare("DELETE FROM doorcode_inbox WHERE key = ? AND state = 'dead' AND expires_at > ?"),
    count: database.prepare("SELECT count(*) AS entries FROM doorcode_inbox WHERE state = ? AND expires_at > ?"),
    sweep: database.prepare(`DELETE FROM doorcode_inbox
WHERE key IN (SELECT key FROM doorcode_inbox WHERE expires_at <= ? ORDER BY expires_at LIMIT ${sweptPerChange})`),
  };
}
