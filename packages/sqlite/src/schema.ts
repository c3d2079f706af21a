/**
 * The statements of the store. Keys, values and tokens are BLOBs: a text of SQLite ends at U+0000 for some of its functions. Instants are
 * Unix milliseconds.
 */
export const statements = {
  create: `CREATE TABLE IF NOT EXISTS entries (
  key BLOB PRIMARY KEY,
  value BLOB,
  count INTEGER NOT NULL,
  holder BLOB,
  leased_until INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_expiry ON entries (expires_at)`,
  read: "SELECT value, count, holder, leased_until, expires_at FROM entries WHERE key = ? AND expires_at > ?",
  write: `INSERT INTO entries (key, value, count, holder, leased_until, expires_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, count = excluded.count, holder = excluded.holder,
  leased_until = excluded.leased_until, expires_at = excluded.expires_at`,
  delete: "DELETE FROM entries WHERE key = ?",
  /** Removes some of the expired entries. */
  sweep: "DELETE FROM entries WHERE key IN (SELECT key FROM entries WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)",
} as const;
