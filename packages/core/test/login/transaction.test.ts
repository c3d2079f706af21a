import { describe, expect, test } from "vitest";
import {
  type LoginTransaction,
  type NewestCode,
  newRandomText,
  randomTextForm,
  readNewestCode,
  readTransaction,
} from "../../src/login/transaction.ts";

const transaction: LoginTransaction = {
  loginId: "3f0a6c1e-0000-4000-8000-000000000000",
  purpose: "link",
  phone: "+4915123456789",
  createdAt: 1_795_415_192_741,
  codeKey: "_NcuV5ux",
  codeSeed: "2-I45uT5gGw4KaXeIafnnw",
  codeLength: 8,
  language: "de",
  session: { userId: "user_1", sessionId: "session_1" },
  oldPhone: "+4915100000000",
  finishUntil: 1_795_415_252_741,
  done: true,
};
const optional = ["codeLength", "language", "session", "oldPhone", "finishUntil", "done"];

const counted: NewestCode["counted"] = {
  country: "DE",
  address: "a",
  network: "n",
  knownNumber: false,
  knownDevice: "newest",
  device: "device",
  devicePlace: 2,
  newestPlace: 3,
  added: 1,
  provenToday: true,
  lastProvenAt: 1_795_000_000_000,
};
const code: NewestCode = {
  sends: 2,
  codeNumber: 2,
  codeSentAt: 1_795_415_192_741,
  expiresAt: 1_795_415_792_741,
  resendAt: 1_795_415_222_741,
  counted,
  verificationId: "verification_1",
  messageId: "message_1",
  isSuppressed: true,
};

describe.each([
  { what: "a transaction", record: transaction, read: readTransaction, optional },
  { what: "a code", record: code, read: readNewestCode, optional: ["verificationId", "messageId", "isSuppressed"] },
])("$what", ({ record, read, optional }) => {
  const members = Object.keys(record);
  const textWith = (name: string, value: unknown) => JSON.stringify({ ...record, [name]: value });
  const required = members.filter((name) => !optional.includes(name));

  test("is the same after it was stored, with all that it can have and with what it must have", () => {
    const least = Object.fromEntries(Object.entries(record).filter(([name]) => required.includes(name)));
    expect(read(JSON.stringify(record))).toEqual(record);
    expect(read(JSON.stringify(least))).toEqual(least);
  });

  test.each([undefined, "", "{", "[]", "null", "{}"])("is not read from %j", (text) => {
    expect(read(text)).toBeUndefined();
  });

  test.each(members)("is not read with a %s of another type", (name) => {
    expect(read(textWith(name, name === "done" || name === "isSuppressed" ? "true" : false))).toBeUndefined();
  });

  test.each(required)("is not read without %s", (name) => {
    expect(read(textWith(name, undefined))).toBeUndefined();
  });
});

test.each([{ userId: 1 }, { sessionId: "session_1" }, { userId: "user_1", sessionId: 1 }])(
  "a transaction of the session %j is not read",
  (session) => {
    expect(readTransaction(JSON.stringify({ ...transaction, session }))).toBeUndefined();
  },
);

test.each(Object.keys(counted))("a code is not read when %s of what it has counted is of another type", (name) => {
  expect(readNewestCode(JSON.stringify({ ...code, counted: { ...counted, [name]: null } }))).toBeUndefined();
});

test("a transaction of an unknown purpose is not read", () => {
  expect(readTransaction(JSON.stringify({ ...transaction, purpose: "other" }))).toBeUndefined();
});

test("random texts have 128 bits in the form of an id, and no two are the same", () => {
  const texts = Array.from({ length: 1000 }, newRandomText);
  expect(texts.filter((text) => !randomTextForm.test(text))).toEqual([]);
  expect(new Set(texts).size).toBe(1000);
});
