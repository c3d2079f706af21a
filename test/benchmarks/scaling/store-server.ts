import { readdirSync, readFileSync } from "node:fs";
import { Client } from "pg";
import { canStartPostgres, startPostgres } from "../../support/postgres-server.ts";
import { startRedis } from "../../support/redis-server.ts";
import { hasRedis } from "../stores/candidates.ts";

/** What a server of a store has used until now, and what it holds. */
export interface ServerUsage {
  /** CPU time of all its processes. */
  readonly cpuMicroseconds: number;
  /** Commands of Redis, also those that a script carries out. */
  readonly commands: number;
  /** Scripts that were sent to Redis. */
  readonly scripts: number;
  /** What it has written to its log: the append-only file of Redis, the WAL of PostgreSQL. */
  readonly logBytes: number;
  /** What its data take. */
  readonly heldBytes: number;
}

/** The entries of one kind: their keys are alike, but for the person, message or address that they are about. */
export interface KindOfEntry {
  /** What the keys have in common. */
  readonly kind: string;
  readonly entries: number;
  /** What they take together. */
  readonly bytes: number;
  /** The longest time that one of them has left. */
  readonly secondsLeft: number;
}

/** A server of a store that belongs to this run. */
export interface StoreServer {
  readonly url: string;
  usage(): Promise<ServerUsage>;
  /** What the entries take, by kind. A server that cannot tell has no such member. */
  kinds?(): Promise<readonly KindOfEntry[]>;
  close(): Promise<void>;
}

/** Starts the servers of the stores, with the durability that the documents ask for. `undefined` if this machine has none. */
export const storeServers: Readonly<Record<"memory" | "Redis" | "PostgreSQL", () => Promise<StoreServer | undefined>>> =
  {
    memory: async () => ({ url: "", usage: async () => nothingUsed, close: async () => undefined }),
    Redis: openRedis,
    PostgreSQL: openPostgres,
  };

const nothingUsed: ServerUsage = { cpuMicroseconds: 0, commands: 0, scripts: 0, logBytes: 0, heldBytes: 0 };

async function openRedis(): Promise<StoreServer | undefined> {
  if (!hasRedis) return undefined;
  const { url, admin, stop } = await startRedis({ settings: ["--appendonly", "yes"] });
  return {
    url,
    async usage() {
      const info = [await admin.info("cpu"), await admin.info("memory"), await admin.info("persistence")].join("\n");
      const read = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(info)?.[1]);
      const stats = [...(await admin.info("commandstats")).matchAll(/^cmdstat_(\w+)\S*:calls=(\d+)/gm)];
      const calls = stats
        .filter(([, name]) => name !== "info")
        .map(([, name, count]) => [name, Number(count)] as const);
      const scripts = sum(calls.filter(([name]) => name === "evalsha" || name === "eval").map(([, count]) => count));
      return {
        cpuMicroseconds: (read("used_cpu_sys") + read("used_cpu_user")) * 1e6,
        commands: sum(calls.map(([, count]) => count)) - scripts,
        scripts,
        logBytes: read("aof_current_size"),
        heldBytes: read("used_memory"),
      };
    },
    async kinds() {
      const kinds = new Map<string, KindOfEntry>();
      for await (const keys of admin.scanStream({ count: 500 }) as AsyncIterable<readonly string[]>) {
        await Promise.all(
          keys.map(async (key) => {
            const [bytes, seconds] = await Promise.all([admin.memory("USAGE", key), admin.ttl(key)]);
            const kind = kindOf(key);
            const known = kinds.get(kind) ?? { kind, entries: 0, bytes: 0, secondsLeft: 0 };
            const secondsLeft = Math.max(known.secondsLeft, seconds);
            kinds.set(kind, { kind, entries: known.entries + 1, bytes: known.bytes + (bytes ?? 0), secondsLeft });
          }),
        );
      }
      return [...kinds.values()].sort((left, right) => right.bytes - left.bytes);
    },
    close: stop,
  };
}

/** The name of the app and of the kind of entry, as in `doorcode:webhook:message.status.update`. */
function kindOf(key: string): string {
  const parts = key.split(":");
  const isWebhook = parts[1] === "webhook" || parts[0] === "bull";
  return parts
    .slice(0, isWebhook ? 3 : 2)
    .join(":")
    .replace(/\d+/g, "#");
}

async function openPostgres(): Promise<StoreServer | undefined> {
  // The CPU time of a server's processes is read where Linux shows it.
  if (!canStartPostgres() || process.platform !== "linux") return undefined;
  const server = await startPostgres(["fsync=on", "shared_buffers=128MB"]);
  const admin = new Client({ connectionString: server.url });
  await admin.connect();
  const { rows } = await admin.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const own = rows[0]?.pid ?? 0;
  const parent = parentOf(own);
  return {
    url: server.url,
    async usage() {
      const { rows: sizes } = await admin.query<{ log: string; held: string }>(
        `SELECT pg_current_wal_lsn() - '0/0' AS log, coalesce(sum(pg_total_relation_size(oid)), 0) AS held
FROM pg_class WHERE relname IN ('doorcode_entries', 'doorcode_inbox')`,
      );
      const { log = "0", held = "0" } = sizes[0] ?? {};
      const cpuMicroseconds = cpuOfFamily(parent, own);
      return { ...nothingUsed, cpuMicroseconds, logBytes: Number(log), heldBytes: Number(held) };
    },
    async close() {
      await admin.end();
      await server.close();
    },
  };
}

const sum = (figures: readonly number[]) => figures.reduce((total, figure) => total + figure, 0);

const ticksPerSecond = 100;

/** The numbers of a process behind its name, from its state on. */
function statOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** The CPU time of a process and its children, also of those that have ended, without that of one that only asks. */
function cpuOfFamily(parent: number, without: number): number {
  const ended = [13, 14].map((place) => (Number(statOf(parent)[place]) * 1e6) / ticksPerSecond);
  const live = readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== without && (pid === parent || isChild(pid, parent)));
  return sum([...ended, ...live.map(cpuOf)]);
}

function isChild(pid: number, parent: number): boolean {
  try {
    return parentOf(pid) === parent;
  } catch {
    // It has ended since it was listed.
    return false;
  }
}

function cpuOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ")[0]) / 1000;
}
