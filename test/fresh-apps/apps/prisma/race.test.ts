import assert from "node:assert/strict";
import test from "node:test";
import { Client } from "pg";
import { onLogin } from "./on-login.js";
import { prisma, schema } from "./prisma.js";

test("fifty logins of one new number at the same time yield one user", async () => {
  const admin = new Client({ connectionString: process.env.TEST_POSTGRES_URL });
  await admin.connect();
  await admin.query(`CREATE SCHEMA ${schema}`);
  await admin.query(`CREATE TABLE ${schema}."User" (id text PRIMARY KEY, phone text UNIQUE)`);
  try {
    const ids = await Promise.all(Array.from({ length: 50 }, () => onLogin({ phone: "+4915123456789" })));
    const { rows } = await admin.query(`SELECT id FROM ${schema}."User"`);
    assert.deepEqual(
      [...new Set(ids)],
      rows.map(({ id }) => id),
    );
    assert.equal(rows.length, 1);
  } finally {
    await prisma.$disconnect();
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  }
});
