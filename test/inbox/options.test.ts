import { createEventTransactions, createPostgresInbox, createPostgresStore } from "@doorcode/postgres";
import { createBullInbox } from "@doorcode/redis";
import { createSqliteInbox } from "@doorcode/sqlite";
import { Cluster, Redis } from "ioredis";
import { Pool } from "pg";
import { describe, expect, test } from "vitest";

const inboxes = [
  {
    create: createBullInbox,
    right: { client: new Redis({ lazyConnect: true }) },
    wrong: [
      ["client", { client: {} }],
      ["name", { name: "a:b" }],
      ["keepSeconds", { keepSeconds: Number.POSITIVE_INFINITY }],
      ["takeOverSeconds", { takeOverSeconds: 0 }],
      ["timeoutSeconds", { timeoutSeconds: 4 }],
    ],
  },
  {
    create: createPostgresInbox,
    right: { pool: new Pool() },
    wrong: [
      ["pool", { pool: {} }],
      ["schema", { schema: "" }],
      ["table", { table: "t".repeat(51) }],
      ["takeOverSeconds", { takeOverSeconds: 5 }],
      ["pollSeconds", { pollSeconds: 0 }],
    ],
  },
  {
    create: createSqliteInbox,
    right: { file: "x.sqlite" },
    wrong: [
      ["file", { file: undefined }],
      ["file", { file: ":memory:" }],
      ["synchronous", { synchronous: "off" }],
      ["takeOverSeconds", { takeOverSeconds: 9 }],
      ["pollSeconds", { pollSeconds: 0 }],
    ],
  },
];

const wrongOnEach = [
  ["keepSeconds", { keepSeconds: 7199 }],
  ["keepSeconds", { keepSeconds: 7200.5 }],
  ["keepSeconds", { keepSeconds: 31_536_001 }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: 0 }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: 1.5 }],
  ["keepDeadLettersSeconds", { keepDeadLettersSeconds: 31_536_001 }],
];

describe.each(inboxes)("L27: $create.name", ({ create, right, wrong }) => {
  test.for([...wrongOnEach, ...wrong])("refuses a wrong %s, and says what is expected: %o", ([option, options]) => {
    const call = () => Reflect.apply(create, undefined, [Object.assign({}, right, options)]);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(new RegExp(`^${create.name}: ${option}[.a-z]*: expected`));
  });

  test("refuses an option that it does not know", () => {
    expect(() => Reflect.apply(create, undefined, [{ ...right, tabel: "y" }])).toThrow(/tabel/);
  });
});

test.for([
  [createBullInbox, "{ client"],
  [createPostgresInbox, "{ pool: new Pool() }"],
  [createPostgresStore, "{ pool: new Pool() }"],
  [createEventTransactions, "{ pool: new Pool() }"],
] as const)("%o says what to pass when it is called without options", ([create, example]) => {
  const call = () => Reflect.apply(create, undefined, []);
  expect(call).toThrow(`${create.name}: options: expected an object such as ${example}`);
});

test("createBullInbox refuses a prefix without braces for a cluster, whose keys must be on one node", () => {
  const client = new Cluster([{ port: 1, host: "127.0.0.1" }], { lazyConnect: true });
  expect(() => createBullInbox({ client, prefix: "app" })).toThrow(/prefix: expected braces/);
});
