import { appCodes, createDoorcode, createMemoryStore } from "@doorcode/core";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/express";
import { createPostgresInbox, createPostgresStore, migrate } from "@doorcode/postgres";
import { createBullInbox, createRedisStore } from "@doorcode/redis";
import express from "express";
import { Redis } from "ioredis";
import { Client, Pool } from "pg";
import { serveHttp } from "../measure/program.ts";
import { origin } from "../measure/visitor.ts";
import { secret } from "./deliveries.ts";

/** What this process has done until now. */
export interface ScalingCounts {
  /** Statements that were sent to PostgreSQL. */
  readonly statements: number;
  /** Events that were handled through the inbox. */
  readonly handled: number;
}

const [serviceUrl = "", storeName = "", storeUrl = ""] = process.argv.slice(2);
let statements = 0;
let handled = 0;

/** The client of the pool, which counts what is sent. */
class CountingClient extends Client {
  constructor(config?: ConstructorParameters<typeof Client>[0]) {
    super(config);
    const send = this.query.bind(this);
    this.query = ((...words: Parameters<typeof send>) => {
      statements += 1;
      return send(...words);
    }) as typeof this.query;
  }
}

async function openStore() {
  if (storeName === "Redis") {
    const client = new Redis(storeUrl, { maxRetriesPerRequest: null });
    return { store: createRedisStore({ client }), inbox: createBullInbox({ client }) };
  }
  if (storeName === "PostgreSQL") {
    const pool = new Pool({ connectionString: storeUrl, max: 5, idleTimeoutMillis: 0, Client: CountingClient });
    await migrate(pool);
    return { store: createPostgresStore({ pool }), inbox: createPostgresInbox({ pool }) };
  }
  return { store: createMemoryStore(), inbox: undefined };
}

const { store, inbox } = await openStore();
const options = {
  origins: [origin],
  store,
  service: { baseUrl: serviceUrl, apiKey: "key_of_the_benchmark" },
  session: { password: "a password of the benchmark, long enough" },
} as const;
const login = {
  countries: ["DE"],
  codes: appCodes(),
  onLogin: ({ phone }: { readonly phone: string }) => phone,
} as const;
const doorcode = createDoorcode({
  ...options,
  login,
  webhooks: { secret, on: { "message.status.update": async () => undefined } },
});
/** Its limits refuse nobody, so that all people can be of one block of numbers. */
const crowd = createDoorcode({
  ...options,
  name: "crowd",
  login: { ...login, limits: { mode: "observe" } },
  onEvent: () => undefined,
});
const app = express()
  .set("trust proxy", "loopback")
  .use("/webhooks", webhooks(doorcode))
  .use("/login", phoneLogin(doorcode))
  .use("/crowd", phoneLogin(crowd))
  .get("/account", requireLogin(doorcode), (req, res) => void res.json({ id: req.doorcode.userId }));

if (inbox) {
  const handle = async () => {
    handled += 1;
  };
  const later = createDoorcode({
    name: "later",
    store,
    webhooks: { secret, inbox, on: { "message.status.update": handle } },
  });
  app.use("/later", webhooks(later));
  await later.work();
}

process.on("message", (question) => {
  const counts: ScalingCounts = { statements, handled };
  if (question === "counts") process.send?.(counts);
});
serveHttp(app);
