import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createPool } from "mysql2/promise";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { runProgram } from "../support/document-program.ts";
import { findMariadb } from "../support/mariadb-server.ts";
import { startMongoStandIn } from "../support/mongo-stand-in.ts";
import { findPostgres } from "../support/postgres-server.ts";

const document = "packages/core/docs/existing-accounts.md";
const name = `doorcode_test_${randomUUID().replaceAll("-", "")}`;
const phone = "+4915123456789";

interface Recipe {
  onLogin(proof: { readonly phone: string }): Promise<string | undefined>;
}

afterAll(() => void vi.unstubAllEnvs());

/** Runs the program of a heading, as an app with this database. */
function runRecipe<Exports>(heading: string, env: Readonly<Record<string, string>>, modules = {}) {
  for (const [variable, value] of Object.entries(env)) vi.stubEnv(variable, value);
  return runProgram<Recipe & Exports>({ document, heading, modules });
}

/** Calls `onLogin` fifty times for a new number, at the same time, and returns the ids. */
async function race({ onLogin }: Recipe): Promise<ReadonlySet<string | undefined>> {
  return new Set(await Promise.all(Array.from({ length: 50 }, () => onLogin({ phone }))));
}

/** Expects one user after each of two races. */
async function expectOneUser(recipe: Recipe, users: () => unknown): Promise<void> {
  const [id] = await race(recipe);
  expect(await users()).toEqual([{ id, phone }]);
  expect(await race(recipe)).toEqual(new Set([id]));
}

/** A recipe for SQL: its heading, its variables beside the URL, and how an app ends its connections. */
type SqlRecipe = readonly [heading: string, env: Readonly<Record<string, string>>, end: (app: SqlApp) => Promise<void>];

interface SqlApp {
  readonly db: { readonly $client: Pool; destroy(): Promise<void> };
  readonly pool: { end(): Promise<void> };
}

const title = "fifty logins of one new number at the same time yield one user with";
const postgres = await findPostgres();

describe.skipIf(!postgres)(`on PostgreSQL, ${title}`, () => {
  const url = new URL(postgres?.url ?? "postgres://localhost");
  const admin = new Pool({ connectionString: url.href, max: 1 });
  url.searchParams.set("options", `-c search_path=${name}`);
  beforeAll(() => admin.query(`CREATE SCHEMA ${name}`));
  afterAll(async () => {
    await admin.query(`DROP SCHEMA ${name} CASCADE`);
    await admin.end();
    await postgres?.close();
  });

  test.for<SqlRecipe>([
    ["Drizzle", {}, ({ db }) => db.$client.end()],
    ["Knex", { DATABASE_CLIENT: "pg" }, ({ db }) => db.destroy()],
  ])("%s", async ([heading, env, end]) => {
    await admin.query(`CREATE TABLE ${name}.users (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text UNIQUE,
      phone text UNIQUE, CHECK (email IS NOT NULL OR phone IS NOT NULL))`);
    onTestFinished(async () => void (await admin.query(`DROP TABLE ${name}.users`)));
    const recipe = await runRecipe<SqlApp>(heading, { ...env, DATABASE_URL: url.href });
    onTestFinished(() => end(recipe));
    await expectOneUser(recipe, async () => (await admin.query(`SELECT id, phone FROM ${name}.users`)).rows);
  });
});

const mariadb = (await findMariadb()) ?? "";

describe.skipIf(mariadb === "")(`on MariaDB, ${title}`, () => {
  const admin = createPool({ uri: mariadb, connectionLimit: 1 });
  const url = new URL(mariadb === "" ? "mysql://localhost" : mariadb);
  url.pathname = name;
  beforeAll(async () => void (await admin.query(`CREATE DATABASE ${name}`)));
  afterAll(async () => {
    await admin.query(`DROP DATABASE ${name}`);
    await admin.end();
  });

  test.for<SqlRecipe>([
    ["mysql2", {}, ({ pool }) => pool.end()],
    ["Knex", { DATABASE_CLIENT: "mysql2" }, ({ db }) => db.destroy()],
  ])("%s", async ([heading, env, end]) => {
    await admin.query(`CREATE TABLE ${name}.users (id BIGINT AUTO_INCREMENT PRIMARY KEY, phone VARCHAR(20) UNIQUE)`);
    onTestFinished(async () => void (await admin.query(`DROP TABLE ${name}.users`)));
    const recipe = await runRecipe<SqlApp>(heading, { ...env, DATABASE_URL: url.href });
    onTestFinished(() => end(recipe));
    const query = `SELECT CAST(id AS CHAR) AS id, phone FROM ${name}.users`;
    await expectOneUser(recipe, async () => (await admin.query(query))[0]);
  });
});

test(`on a stand-in for MongoDB that speaks its protocol, ${title} Mongoose`, async () => {
  const mongo = await startMongoStandIn(50);
  onTestFinished(mongo.close);
  const { default: mongoose } = await import("mongoose");
  const recipe = await runRecipe<{ User: { init(): Promise<unknown> } }>("Mongoose", {});
  await mongoose.connect(mongo.url, { directConnection: true });
  onTestFinished(() => mongoose.disconnect());
  await recipe.User.init();
  const [id] = await race(recipe);
  expect(mongo.documents.map((user) => [String(user._id), user.phone])).toEqual([[id, phone]]);
  expect(await race(recipe)).toEqual(new Set([id]));
});

test(`on a stand-in for its client, ${title} Prisma`, async () => {
  const users: { readonly id: string; readonly phone: string }[] = [];
  const reads = createBarrier();
  void reads.arrived(50).then(reads.open);
  const find = (where: { readonly phone: string }) => users.find((user) => user.phone === where.phone) ?? null;
  const user = {
    async findUnique({ where }: { readonly where: { readonly phone: string } }) {
      const found = find(where);
      await reads.pass();
      return found;
    },
    findUniqueOrThrow: async ({ where }: { readonly where: { readonly phone: string } }) => find(where),
    async create({ data }: { readonly data: { readonly phone: string } }) {
      if (find(data)) throw Object.assign(new Error("Unique constraint failed"), { code: "P2002" });
      const created = { id: randomUUID(), ...data };
      users.push(created);
      return created;
    },
  };
  const recipe = await runRecipe("Prisma", {}, { prisma: { prisma: { user } } });
  await expectOneUser(recipe, () => users);
});

test("the program for Prisma is the one that `npm run fresh-apps` runs with Prisma itself", () => {
  const root = resolve(import.meta.dirname, "../..");
  const run = readFileSync(resolve(root, "test/fresh-apps/apps/prisma/on-login.ts"), "utf8");
  expect(readFileSync(resolve(root, document), "utf8")).toContain(`\n\`\`\`ts\n${run}\`\`\`\n`);
});
