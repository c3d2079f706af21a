import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { parseEvent, rankInstant } from "../../src/webhooks/event.ts";
import { anyText, createProperty, mutated, type ParserProperty } from "./property.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const field = fc.constantFrom(
  "message_id",
  "verification_id",
  "status",
  "status_updated_at",
  "updated_at",
  "channel",
  "__proto__",
);
const kind = fc.constantFrom("message.status.update", "verification.update", "message.inbound", "event");
/**
 * Characters that JSON does not escape. V8 13.6 reads the name in `{"1a":1,"\n":2}` as a backslash, if it has read `{"1a":1,"\\":2}`
 * before: so no name has an escape.
 */
const plainUnit = fc.string({ minLength: 1, maxLength: 1 }).map((character) => character.replace(/["\\]/, "_"));
/** JSON that is nested a little: deep values are made from mutations and in the growth cases. */
const json = fc.jsonValue({ maxDepth: 2, stringUnit: plainUnit });
const data = fc.oneof(fc.dictionary(field, fc.oneof(json, fc.string(), fc.integer())), json);
const payload = fc.record({ event: fc.oneof(kind, json), type: json, data }, { requiredKeys: [] });
const texts = fc.oneof(payload, fc.jsonValue({ stringUnit: plainUnit })).map((value) => JSON.stringify(value));
const strangers = fc.oneof(
  fc.constantFrom(...'{}[]":,\\0-e\u0000\ufeff'),
  fc.constantFrom('"data":', "null", "1e999", "[[[["),
  anyText,
);
const bodies = fc.oneof(fc.oneof(texts, mutated(texts, strangers), anyText).map(bytesOf), fc.uint8Array());

/** Three spellings of one instant, a later one, and none. */
const instant = fc.constantFrom(
  ...["2026-09-21T14:13:20.5Z", "2026-09-21T16:13:20.50+02:00", 1_790_000_000.5],
  ...["2026-09-21T14:13:20.51Z", "soon"],
);
const messages = fc.record({
  message_id: fc.string({ minLength: 1 }),
  status: fc.string(),
  status_updated_at: instant,
});

/** Names of members that JavaScript or a sorted order could treat apart. Their values have escapes. */
const plainName = fc.string({ unit: plainUnit });
const memberName = fc.oneof(field, fc.constantFrom("10", "9", "1a", "01", "-1", "B"), plainName);
const leaf = fc.oneof(anyText, fc.integer(), fc.double(), fc.constantFrom(null, true, "\\", '"', "\n"));
/** An object with values, lists and objects. */
const membersOf = (value: fc.Arbitrary<unknown>) =>
  fc.dictionary(memberName, fc.oneof(value, fc.array(value), fc.dictionary(memberName, value, { maxKeys: 4 })));

const fieldValue = fc.oneof(
  membersOf(leaf),
  fc.array(leaf),
  leaf,
  fc.integer(),
  fc.double(),
  fc.constantFrom("", -0, 2 ** 53, 2 ** 53 - 1),
);

type Read = (value: unknown) => unknown;
const text: Read = (value) => (typeof value === "string" ? value : undefined);
const instantField: Read = (value) => {
  if (typeof value !== "number") return text(value);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? String(value) : value;
};
const identifier: Read = (value) => (Number.isInteger(value) ? String(value) : text(value) || undefined);
const commonFields = { status: text, channel: text, recipient: text };
const knownFields: Readonly<Record<string, Readonly<Record<string, Read>>>> = {
  "message.status.update": { ...commonFields, message_id: identifier, status_updated_at: instantField },
  "verification.update": {
    ...commonFields,
    verification_id: identifier,
    updated_at: instantField,
    channel_status: text,
  },
};

/** Reads the known fields of an event's data. All others stay as they are, except one that could set a prototype. */
function readData(kind: string, data: Readonly<Record<string, unknown>>): unknown {
  const fields = knownFields[kind];
  if (!fields) return data;
  const members = Object.entries(data).filter(([name]) => name !== "__proto__");
  return Object.fromEntries(members.map(([name, value]) => [name, fields[name] ? fields[name](value) : value]));
}

/** Parses JSON with a byte order mark before it or without one. */
function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(
      Buffer.from(body)
        .toString("utf8")
        .replace(/^\ufeff/, ""),
    );
  } catch {
    return undefined;
  }
}

/** Writes JSON with the members of each object in the opposite order, and with spaces. */
function reversed(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(reversed).join(" , ")} ]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).reverse();
  return `{ ${members.map(([name, member]) => `${JSON.stringify(name)} : ${reversed(member)}`).join(" ,\n")} }`;
}

/** The invariants of `parseEvent`. */
export const eventProperties: readonly ParserProperty[] = [
  createProperty("any body is an event with a key, or unreadable because it is no JSON object", bodies, (body) => {
    const event = parseEvent(body);
    const json = parseJson(body);
    const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
    if ("unreadable" in event) {
      assert.equal(event.unreadable, json === undefined ? "not_json" : "not_an_object");
      return assert.ok(!isObject);
    }
    assert.ok(isObject);
    assert.deepEqual(event.payload, json);
    assert.match(event.key, /^[0-9a-f]{64}$/);
    assert.equal(event.rank, rankInstant(event.occurredAt));
    assert.deepEqual(parseEvent(body), event);
  }),
  createProperty(
    "the data of an event has its known fields by their types, and all others as they are",
    fc.record({ data: fc.dictionary(fc.oneof(field, fc.constantFrom("recipient", "channel_status")), fieldValue) }),
    (value) => {
      const event = parseEvent(bytesOf(JSON.stringify(value)));
      assert.ok("kind" in event);
      const { data } = JSON.parse(JSON.stringify(value));
      assert.deepStrictEqual(event.data, readData(event.kind, data));
    },
  ),
  createProperty("an event keeps its kind and its key when its JSON is written in another way", payload, (value) => {
    const event = parseEvent(bytesOf(JSON.stringify(value)));
    const other = parseEvent(bytesOf(reversed(JSON.parse(JSON.stringify(value)))));
    assert.ok("key" in event && "key" in other);
    assert.deepEqual([other.kind, other.key, other.rank], [event.kind, event.key, event.rank]);
  }),
  createProperty(
    "two changes of a message have the same key exactly if id, status and instant are the same",
    fc.tuple(messages, messages, fc.constantFrom("message_id", "status", "status_updated_at", undefined)),
    ([one, different, changed]) => {
      const other = changed === undefined ? one : { ...one, [changed]: different[changed] };
      const [first, second] = [one, other].map((data) => parseEvent(bytesOf(JSON.stringify({ data }))));
      assert.ok(first !== undefined && second !== undefined && "key" in first && "key" in second);
      const facts = ({ message_id, status, status_updated_at }: typeof one) => {
        const rank = rankInstant(status_updated_at);
        const named = [message_id, status, rank || String(status_updated_at)];
        return createHash("sha256").update(JSON.stringify(named)).digest("hex");
      };
      assert.equal(first.key === second.key, facts(one) === facts(other));
    },
  ),
];
