import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createEventTransactions, createPostgresInbox, createPostgresStore, migrate } from "@doorcode/postgres";
import { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";

/** One message of PostgreSQL's protocol. */
function message(type: string, ...fields: readonly Buffer[]): Buffer {
  const body = Buffer.concat(fields);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.byteLength + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const authenticated = message("R", Buffer.alloc(4));
const ready = message("Z", Buffer.from("I"));
const dying = message(
  "E",
  Buffer.from("SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0"),
);

/** A server that closes each connection at once: its greeting and its last error are in one packet. */
async function startDyingServer(): Promise<Pool> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(Buffer.concat([authenticated, ready, dying])));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const pool = new Pool({ host: "127.0.0.1", port: (server.address() as AddressInfo).port, user: "nobody" });
  onTestFinished(async () => {
    await pool.end();
    server.close();
  });
  return pool;
}

// An error without a listener would end the process; in a test, it fails the run.
test.each([
  { what: "a function of the store", call: (pool: Pool) => createPostgresStore({ pool, cleaning: false }).get(["k"]) },
  { what: "a migration", call: (pool: Pool) => migrate(pool) },
  {
    what: "a transaction of a handler",
    call(pool: Pool) {
      const store = createPostgresStore({ pool, cleaning: false });
      return createEventTransactions({ pool, store }).run(async () => true, AbortSignal.timeout(60_000));
    },
  },
])("$what rejects when the server dies during its greeting, and the process survives", async ({ call }) => {
  const pool = await startDyingServer();
  await expect(call(pool)).rejects.toThrow();
  expect(pool.totalCount).toBe(0);
});

test.each([
  { what: "the store", take: (pool: Pool) => createPostgresStore({ pool, cleaning: false }) },
  { what: "the inbox", take: (pool: Pool) => createPostgresInbox({ pool, cleaning: false }) },
  {
    what: "transactions",
    take(pool: Pool) {
      const store = createPostgresStore({ pool: new Pool(), cleaning: false });
      return createEventTransactions({ pool, store });
    },
  },
])("the pool of $what may lose idle connections, and the process survives", ({ take }) => {
  const pool = new Pool();
  take(pool);
  take(pool);
  expect(() => pool.emit("error", new Error("The server closed an idle connection."), undefined)).not.toThrow();
  expect(pool.listenerCount("error")).toBe(1);
});
