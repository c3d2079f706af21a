import { expect, test } from "vitest";
import type { DeliveryState } from "../../src/webhooks/delivery-state.ts";
import type { EntityRecord } from "../../src/webhooks/order.ts";
import { entityText, readDelivery, readEntity } from "../../src/webhooks/stored-entity.ts";

const seen: DeliveryState = {
  rank: "1",
  status: "SENT",
  channel: "SMS",
  attempts: [{ channel: "SMS", status: "SENT" }],
};
const record: EntityRecord = { rank: "1", keys: ["k"], final: true, seen };
const emptyRecord = { rank: "", keys: [], final: false };

test("the text of a record is this list", () => {
  expect(entityText(record)).toBe('["1",["k"],[["SMS","SENT"]],"SENT","SMS",1]');
});

test.each<[string, EntityRecord]>([
  ["a final one", record],
  ["one that is not final", { ...record, final: false }],
  ["one without a delivery", { ...record, seen: undefined }],
  ["a final one without a delivery", { ...record, final: true, seen: undefined }],
  ["one whose delivery is newer, after a failed handler", { ...record, seen: { ...seen, rank: "2" } }],
  ["one whose delivery has no channel", { ...record, seen: { rank: "1", status: "SENT", attempts: [] } }],
  ["one whose delivery has no status", { ...record, seen: { rank: "", channel: "SMS", attempts: [] } }],
  ["one with several attempts", { ...record, seen: { ...seen, attempts: [...seen.attempts, ...seen.attempts] } }],
  ["an empty one", { rank: "", keys: [], final: false, seen: undefined }],
  ["one with texts that JSON escapes", { ...record, keys: ['"', "\\", "\ud800"] }],
])("a record is read as it was written: %s", (_which, written) => {
  expect(readEntity(entityText(written))).toEqual(written);
  expect(readDelivery(entityText(written))).toEqual(written.seen);
});

test("members that a later version adds at the end are passed over", () => {
  expect(readEntity('["1",["k"],[["SMS","SENT"]],"SENT","SMS",1,null,"added"]')).toEqual(record);
});

test.each<[string, unknown]>([
  ["a number", 7],
  ["null", null],
  ["an object", { rank: "1", keys: ["k"], final: true }],
  ["an empty list", []],
  ["a rank that is no text", [1, ["k"]]],
  ["keys that are no list", ["1", "k"]],
  ["a key that is no text", ["1", ["k", 1]]],
  ["attempts that are no list", ["1", ["k"], "SMS"]],
  ["an attempt that is no list", ["1", ["k"], ["SMS"]]],
  ["an attempt without a status", ["1", ["k"], [["SMS"]]]],
  ["an attempt with more than a status", ["1", ["k"], [["SMS", "SENT", "1"]]]],
  ["an attempt whose status is no text", ["1", ["k"], [["SMS", 1]]]],
  ["a status that is no text", ["1", ["k"], [], 1]],
  ["a channel that is no text", ["1", ["k"], [], "SENT", 1]],
  ["a final that is no number", ["1", ["k"], [], "SENT", "SMS", true]],
  ["a rank of the delivery that is no text", ["1", ["k"], [], "SENT", "SMS", 1, 2]],
])("a stored value that is no record counts as none: %s", (_fault, stored) => {
  expect(readEntity(JSON.stringify(stored))).toEqual(emptyRecord);
});

test.each([undefined, "", "{", "[1"])("a stored value that is no JSON counts as none: %j", (text) => {
  expect(readEntity(text)).toEqual(emptyRecord);
  expect(readDelivery(text)).toBeUndefined();
});
