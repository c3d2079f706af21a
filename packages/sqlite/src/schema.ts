/**
 * The steps from each version of a file to the next; the first one creates the tables. Keys, values, tokens and bodies are BLOBs: a text of
 * SQLite ends at U+0000 for some of its functions. Instants are Unix milliseconds.
 *
 * An entry of the inbox is `open` until a verdict makes it `done` or `dead`. A worker may take an open entry from `due_at` on. While a
 * worker holds it, `holder` is set and `due_at` is the time from which another worker may take it over. `settled_at` is the time of the
 * last verdict. The partial indexes keep the search for due entries and the list of dead letters fast, however many entries are done.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE doorcode_entries (
  key BLOB PRIMARY KEY,
  value BLOB,
  count INTEGER NOT NULL,
  holder BLOB,
  leased_until INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX doorcode_entries_expiry ON doorcode_entries (expires_at)`,
  `CREATE TABLE doorcode_inbox (
  key TEXT PRIMARY KEY,
  body BLOB NOT NULL,
  state TEXT NOT NULL DEFAULT 'open',
  due_at INTEGER NOT NULL,
  holder TEXT,
  failures INTEGER NOT NULL DEFAULT 0,
  deaths INTEGER NOT NULL DEFAULT 0,
  replayed INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  settled_at INTEGER,
  expires_at INTEGER NOT NULL
);
CREATE INDEX doorcode_inbox_due ON doorcode_inbox (due_at) WHERE state = 'open';
CREATE INDEX doorcode_inbox_dead ON doorcode_inbox (settled_at) WHERE state = 'dead';
CREATE INDEX doorcode_inbox_expiry ON doorcode_inbox (expires_at)`,
];

/** The statements of the store. */
export const statements = {
  read: "SELECT value, count, holder, leased_until, expires_at FROM doorcode_entries WHERE key = ? AND expires_at > ?",
  write: `INSERT INTO doorcode_entries (key, value, count, holder, leased_until, expires_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, count = excluded.count, holder = excluded.holder,
  leased_until = excluded.leased_until, expires_at = excluded.expires_at`,
  delete: "DELETE FROM doorcode_entries WHERE key = ?",
  /** Removes some of the expired entries. */
  sweep:
    "DELETE FROM doorcode_entries WHERE key IN (SELECT key FROM doorcode_entries WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)",
} as const;
