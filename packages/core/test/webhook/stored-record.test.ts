import { expect, test } from "vitest";
import { readEntity } from "../../src/webhook/order.ts";

const attempt = { channel: "SMS", status: "SENT" };
const seen = { rank: "1", status: "SENT", channel: "SMS", attempts: [attempt] };
const record = { rank: "1", keys: ["k"], final: true, seen };

test("the stored record of an entity is read, without members that it does not know", () => {
  const later = { ...record, added: 1, seen: { ...seen, added: 1, attempts: [{ ...attempt, added: 1 }] } };
  expect(readEntity(JSON.stringify(later))).toEqual(record);
  const { seen: _seen, ...unseen } = record;
  expect(readEntity(JSON.stringify(unseen))).toEqual(unseen);
});

test.each<[string, unknown]>([
  ["no object", 7],
  ["null", null],
  ["a list", [record]],
  ["a rank that is no text", { ...record, rank: 1 }],
  ["keys that are no list", { ...record, keys: "k" }],
  ["a key that is no text", { ...record, keys: ["k", 1] }],
  ["a final that is neither true nor false", { ...record, final: "true" }],
  ["a delivery that is no object", { ...record, seen: "SENT" }],
  ["a delivery that is null", { ...record, seen: null }],
  ["a delivery without a rank", { ...record, seen: { ...seen, rank: undefined } }],
  ["a delivery whose status is no text", { ...record, seen: { ...seen, status: 1 } }],
  ["a delivery whose channel is no text", { ...record, seen: { ...seen, channel: 1 } }],
  ["attempts that are no list", { ...record, seen: { ...seen, attempts: {} } }],
  ["an attempt that is no object", { ...record, seen: { ...seen, attempts: [null] } }],
  ["an attempt without a channel", { ...record, seen: { ...seen, attempts: [{ status: "SENT" }] } }],
  ["an attempt without a status", { ...record, seen: { ...seen, attempts: [{ channel: "SMS" }] } }],
])("a stored record with %s counts as none", (_fault, stored) => {
  expect(readEntity(JSON.stringify(stored))).toEqual({ rank: "", keys: [], final: false });
});
