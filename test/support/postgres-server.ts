/// <reference types="emscripten" />
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { Client } from "pg";
import { findFreePort } from "./free-port.ts";

/** A PostgreSQL that answers. */
export interface RunningPostgres {
  /** For the titles of tests. */
  readonly name: string;
  readonly url: string;
  close(): Promise<void>;
}

/** Names the server that was found or started for all files of tests, to their processes. */
export const sharedPostgresVariable = "DOORCODE_SHARED_POSTGRES";

/**
 * Finds the server that the tests may use: `TEST_POSTGRES_URL`, else the one that all test files share, else one that
 * answers on loopback, else one of its own from the binaries of the machine; `undefined` where there is none of them.
 * Other tests use it at the same time, so a test looks only at its own schema there.
 */
export async function findPostgres(): Promise<RunningPostgres | undefined> {
  const name = "PostgreSQL";
  const running = process.env.TEST_POSTGRES_URL ?? process.env[sharedPostgresVariable];
  if (running) return { name, url: running, close: async () => undefined };
  for (const user of ["postgres", userInfo().username]) {
    const url = `postgres://${user}@127.0.0.1:5432/postgres`;
    if (await answers(url)) return { name, url, close: async () => undefined };
  }
  // Each worker of the tests may have several pools.
  return canStartPostgres() ? startPostgres(["max_connections=300"]) : undefined;
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** Starts PostgreSQL inside this process. It runs on every machine, and serves its connections in turn. */
export async function startPglite(): Promise<RunningPostgres> {
  const db = await createPglite();
  const server = new PGLiteSocketServer({ db, host: "127.0.0.1", port: 0, maxConnections: 50 });
  await server.start();
  return {
    name: "PGlite",
    url: `postgres://postgres@${server.getServerConn()}/postgres`,
    async close() {
      await server.stop();
      await db.close();
    },
  };
}

const root = resolve(import.meta.dirname, "../..");

/** Opens an empty database. To make its files takes seconds, so the first run keeps them for all others. */
async function createPglite(): Promise<PGlite> {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const kept = join(root, ".doorcode", `pglite-${devDependencies["@electric-sql/pglite"]}.tar`);
  if (existsSync(kept)) return PGlite.create({ loadDataDir: new Blob([readFileSync(kept)]) });
  const db = await PGlite.create();
  const files = await db.dumpDataDir("none");
  mkdirSync(dirname(kept), { recursive: true });
  // Several workers may come here at once: each writes its own file, and the last one stays.
  const own = `${kept}.${process.pid}`;
  writeFileSync(own, await files.bytes());
  renameSync(own, kept);
  return db;
}

/** A server that belongs to the tests, which may stop and kill it. */
export interface OwnPostgres extends RunningPostgres {
  start(): Promise<void>;
  /** Stops the server as an operator does: connections are cut off. */
  stop(): Promise<void>;
  /** Ends the server with `kill -9`, like a power cut. */
  kill(): Promise<void>;
}

const folders = ["/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin"];

/** Finds the folder of `initdb` and `postgres`: on the PATH, else the newest installed one. */
function findBinaries(): string | undefined {
  const onPath = (process.env.PATH ?? "").split(":").filter((folder) => existsSync(join(folder, "initdb")));
  const installed = folders.flatMap((pattern) => globSync(`${pattern}/initdb`)).map(dirname);
  const byVersion = installed.sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  return [...onPath, ...byVersion].find((folder) => existsSync(join(folder, "postgres")));
}

/** Tells whether the machine has what {@link startPostgres} needs. */
export function canStartPostgres(): boolean {
  return process.platform !== "win32" && findBinaries() !== undefined;
}

/**
 * Starts a server of the tests' own in a folder of its own, on a free port. It ends with this process at the latest.
 *
 * @param more - settings as in its configuration: `max_connections=20`.
 */
export async function startPostgres(more: readonly string[] = []): Promise<OwnPostgres> {
  const binaries = findBinaries();
  if (!binaries) throw new Error("No initdb and postgres on this machine: install PostgreSQL.");
  const owner = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), "doorcode-postgres-"));
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, "data");
  const initdb = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  const made = spawnSync(join(binaries, "initdb"), initdb, { ...owner, cwd: folder, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);

  const port = await findFreePort();
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=16MB"];
  // What a killed process has written survives in the operating system; only a power cut needs fsync.
  const options = ["-D", data, ...[...settings, "fsync=off", ...more].flatMap((setting) => ["-c", setting])];
  let server: ChildProcess | undefined;
  const killAtExit = () => server?.kill("SIGKILL");
  process.once("exit", killAtExit);

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = server;
    server = undefined;
    if (!ending || ending.exitCode !== null) return;
    const exited = once(ending, "exit");
    ending.kill(signal);
    await exited;
  }

  const own: OwnPostgres = {
    name: "PostgreSQL",
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async start() {
      server = await launch(join(binaries, "postgres"), options, { ...owner, cwd: folder });
    },
    stop: () => end("SIGINT"),
    async kill() {
      // A backend still answers its client for a moment after its server is gone.
      if (server?.pid !== undefined) await killChildren(server.pid);
      await end("SIGKILL");
    },
    async close() {
      await end("SIGINT");
      process.removeListener("exit", killAtExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await own.start();
  return own;
}

/** Kills the children of a process, which is stopped first so that it starts no new ones. */
async function killChildren(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  const { stdout } = spawnSync("pgrep", ["-P", `${pid}`], { encoding: "utf8" });
  const children = stdout.split("\n").filter((line) => line !== "");
  for (const child of children) process.kill(Number(child), "SIGKILL");
  const stateOf = (child: string) => spawnSync("ps", ["-o", "stat=", "-p", child], { encoding: "utf8" }).stdout.trim();
  while (children.some((child) => !/^(Z|$)/.test(stateOf(child)))) await pause(5);
}

interface Whose {
  readonly uid?: number;
  readonly gid?: number;
}

/** Chooses the user for PostgreSQL, which refuses to run as root: the user of its package, or nobody. */
function unprivileged(): Whose {
  if (process.getuid?.() !== 0) return {};
  for (const user of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((option) => spawnSync("id", [option, user], { encoding: "utf8" }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error("PostgreSQL does not run as root, and there is no other user: run the tests as one.");
}

const maxTries = 200;

/** After a kill the server's children take a moment to go, and a new server refuses to start beside them. */
async function launch(program: string, options: readonly string[], whose: Whose & { cwd: string }) {
  const said: string[] = [];
  for (let tries = 0; tries < maxTries; tries++) {
    const child = spawn(program, options, { ...whose, stdio: ["ignore", "ignore", "pipe"] });
    const lines = createInterface({ input: child.stderr });
    const ready = new Promise<boolean>((resolve) => {
      lines.on("line", (line) => {
        said.push(line);
        if (line.includes("ready to accept connections")) resolve(true);
      });
      child.once("exit", () => resolve(false));
    });
    if (await ready) return child;
    await pause(50);
  }
  throw new Error(`PostgreSQL did not start:\n${said.slice(-10).join("\n")}`);
}
