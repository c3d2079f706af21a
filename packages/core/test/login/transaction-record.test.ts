import { expect, test } from "vitest";
import type { LoginTransaction } from "../../src/login/transaction.ts";
import { loginIdOf, readTransactionText, transactionText } from "../../src/login/transaction-record.ts";

const key = "app:t:digest";
const begun: LoginTransaction = {
  loginId: loginIdOf(key),
  purpose: "login",
  phone: "+4915123456789",
  createdAt: 1_795_415_192_741,
  expiresAt: 1_795_415_792_741,
  resendAt: 1_795_415_222_741,
  sends: 1,
  codeNumber: 1,
  codeSentAt: 1_795_415_192_741,
  codeKey: "_NcuV5ux",
  codeSeed: "2-I45uT5gGw4KaXeIafnnw",
};
const counted = {
  country: "DE",
  address: "a",
  network: "n",
  known: true,
  knownNumber: false,
  provenToday: true,
  added: 1,
  devicePlace: 2,
  newestPlace: 3,
};
const full: LoginTransaction = {
  ...begun,
  purpose: "link",
  counted: { ...counted, device: "device", knownDevice: "newest", lastProvenAt: 1_795_000_000_000 },
  verificationId: "verification_1",
  messageId: "message_1",
  codeLength: 8,
  language: "de",
  isSuppressed: true,
  done: true,
  session: { userId: "user_1", sessionId: "session_1" },
  oldPhone: "+4915100000000",
};

test.each([
  ["as it begins", begun],
  ["with all that it can have", full],
  ["with one of its last members only", { ...begun, oldPhone: "+4915100000000" }],
  ["with a session of the app", { ...begun, session: { userId: "user_1" } }],
])("a transaction is the same after it was stored: %s", (_, transaction) => {
  expect(readTransactionText(key, transactionText(transaction))).toEqual(transaction);
});

test("a transaction without what only some need takes less than 130 bytes", () => {
  expect(transactionText(begun).length).toBeLessThan(130);
});

test.each<[string, string | undefined]>([
  ["nothing", undefined],
  ["an empty text", ""],
  ["no JSON", "{"],
  ["an object", JSON.stringify(begun)],
  ["an empty list", "[]"],
  ["a list with a wrong type", transactionText(full).replace('"+4915123456789"', "4915123456789")],
  ["an unknown purpose", transactionText(full).replace('"link"', '"other"')],
  ["a count without a country", transactionText(full).replace('"DE"', "null")],
  ["a session whose id is no text", transactionText(full).replace('"sessionId":"session_1"', '"sessionId":1')],
  ["a session whose user is no text", transactionText(full).replace('"userId":"user_1"', '"userId":1')],
  ["a session without a user", transactionText(full).replace('"userId":"user_1",', "")],
])("%s is no transaction", (_, text) => {
  expect(readTransactionText(key, text)).toBeUndefined();
});

const places = (JSON.parse(transactionText(full)) as readonly unknown[]).map((_, place) => place);
/** Those that every login has: purpose, phone, instants, counts, and what its code is made of. */
const required = places.slice(0, 10);

/** The text of a transaction with another value at one place. */
function textWith(place: number, value: unknown): string {
  return JSON.stringify((JSON.parse(transactionText(full)) as readonly unknown[]).with(place, value));
}

test.each(places)("a text with a member of another type is no transaction, at place %i", (place) => {
  expect(readTransactionText(key, textWith(place, true))).toBeUndefined();
});

test.each(required)("a text without a member that every login has is no transaction, at place %i", (place) => {
  expect(readTransactionText(key, textWith(place, null))).toBeUndefined();
});

test("the public id of a login is a UUID of version 8, made of the SHA-256 of `login` and its key", () => {
  // printf 'login app:t:digest' | sha256sum
  expect(loginIdOf(key)).toBe("685b3074-7804-8809-a31b-6a4d2398fc3f");
});
