import { createDoorcode, createMemoryStore, providerCodes } from "@doorcode/core";
import { mountLogin } from "@doorcode/core/adapter";
import { createPostgresStore, migrate } from "@doorcode/postgres";
import { createRedisStore } from "@doorcode/redis";
import { createSqliteStore } from "@doorcode/sqlite";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { phoneOf, serve } from "./measure.ts";

const [name = "", url = "", first = "0"] = process.argv.slice(2);
const soaks = process.argv.includes("soak");
const code = "246810";

async function openStore() {
  if (name === "memory") return createMemoryStore({ maxEntries: 20_000_000 });
  if (name === "SQLite") return createSqliteStore({ file: url, synchronous: "normal" });
  if (name === "Redis") return createRedisStore({ client: new Redis(url) });
  const pool = new Pool({ connectionString: url, max: 10 });
  const schema = "doorcode_benchmark";
  await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await migrate(pool, { schema });
  return createPostgresStore({ pool, schema });
}

const mount = mountLogin(
  createDoorcode({
    store: await openStore(),
    origins: ["https://app.example.com"],
    session: { password: "a password of the benchmark, long enough", ...(soaks && { lifetimeSeconds: 60 }) },
    login: {
      countries: ["DE"],
      codes: providerCodes({ send: ({ phone }) => ({ id: phone }), check: (typed) => typed.code === code }),
      onLogin: ({ phone }) => phone,
      limits: {
        mode: "observe",
        ...(soaks && { cooldownSeconds: 0, sendsPerPhone: 1000, sendsPerPhonePerDay: 1000 }),
      },
    },
  }),
);
const closed = new AbortController().signal;

/** Posts to the mount as an adapter does, without HTTP, and returns the cookies. */
async function post(path: string, body: object, index: number, cookie = ""): Promise<string> {
  const headers = {
    host: "app.example.com",
    "content-type": "application/json",
    "sec-fetch-site": "same-origin",
    cookie,
  };
  const remoteAddress = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const readBody = async () => ({ parsed: body });
  const request = { method: "POST", basePath: "/login", path, query: "", headers, remoteAddress, closed, readBody };
  const answer = await mount.handle(request, undefined);
  if (answer?.status !== 200) throw new Error(`${path} answered ${answer?.status}: ${answer?.body}`);
  return answer.cookies.map((written) => written.split(";")[0]).join("; ");
}

serve(
  "ready",
  async (place) => {
    // Processes that share a store have people of their own. In a soak the same ones come back, or the store would have to grow.
    const index = Number(first) + (soaks ? place % 500 : place);
    const cookie = await post("/start", { phone: phoneOf(index) }, index);
    // With "pending" the login stays under way.
    if (!process.argv.includes("pending")) await post("/confirm", { code }, index, cookie);
  },
  32,
);
