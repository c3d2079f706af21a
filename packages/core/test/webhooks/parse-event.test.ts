import { describe, expect, test } from "vitest";
import { parseExact } from "../../src/store/checked-store.ts";
import { parseEvent, rankInstant, type WebhookEvent } from "../../src/webhooks/event.ts";
import { bodyOf, eventOf, eventOfBody } from "./receiver-setup.ts";

const at = "2026-09-21T14:13:20.5Z";
const message = { message_id: "msg_1", status: "SENT", status_updated_at: at };
const verification = { verification_id: "ver_1", status: "PENDING", updated_at: at };

function keyOf(payload: unknown): string {
  return eventOf(payload).key;
}

describe("the kind of an event", () => {
  test.each([
    ["event", { event: "message.status.update", data: message }],
    ["type", { type: "message.status.update", data: message }],
    ["event_type", { event_type: "message.status.update", data: message }],
    ["a type without a dot", { type: "event", data: message }],
    ["a name of another type", { event: 7, data: message }],
  ])("is a message's for the envelope: %s", (_envelope, payload) => {
    expect(eventOf(payload)).toMatchObject({ kind: "message.status.update", data: message, occurredAt: at });
  });

  test("is a verification's for the envelope with a type beside the event", () => {
    const payload = { type: "webhook", event: "verification.update", data: verification };
    expect(eventOf(payload)).toMatchObject({ kind: "verification.update", data: verification, occurredAt: at });
  });

  test.each<[WebhookEvent["kind"], string, object]>([
    [
      "message.status.update",
      "the message's instant, whatever its ids are",
      { verification_id: "v", status_updated_at: at },
    ],
    ["verification.update", "the verification's instant, whatever its ids are", { message_id: "m", updated_at: at }],
    ["verification.update", "both ids with both instants", { ...message, ...verification }],
    ["verification.update", "both ids without an instant", { message_id: "m", verification_id: "v" }],
    ["message.status.update", "its id without an instant", { message_id: "m" }],
    ["message.status.update", "the instant that is not null", { ...message, updated_at: null }],
  ])("is %s by %s", (kind, _reason, data) => {
    expect(eventOf({ data }).kind).toBe(kind);
  });

  test("is the envelope's if the data has both instants", () => {
    const data = { ...message, ...verification };
    expect(eventOf({ event: "message.status.update", data }).kind).toBe("message.status.update");
    expect(eventOf({ event: "verification.update", data }).kind).toBe("verification.update");
  });

  test("is unknown for a name of another kind, whatever its data is", () => {
    const event = eventOf({ event: "message.inbound.received", data: { ...message, text: "hello" } });
    expect(event).toMatchObject({
      kind: "unknown",
      name: "message.inbound.received",
      rank: "",
      data: { text: "hello" },
    });
  });

  test("is unknown under the name that the envelope has, which may be a single word", () => {
    expect(eventOf({ event: "ping" })).toMatchObject({ kind: "unknown", name: "ping" });
    expect(eventOf({})).toMatchObject({ kind: "unknown", name: undefined });
  });

  test.each([{}, { data: null }, { data: [] }, { data: "text" }, { data: {} }, { event: "ping" }])(
    "is unknown, with empty data, for %j",
    (payload) => {
      expect(eventOf(payload)).toMatchObject({ kind: "unknown", data: {}, payload });
    },
  );
});

describe("the key of an event", () => {
  test("is the same in every version of the kit, so that an update does not handle events again", () => {
    const at = "2026-09-21T14:13:20Z";
    const ofVerification = keyOf({
      event: "verification.update",
      data: { verification_id: "ver_1", status: "PENDING", updated_at: at },
    });
    const ofMessage = keyOf({ data: { message_id: "msg_1", status: "SENT", status_updated_at: at } });
    // printf '{"data":{"status":"PENDING","updated_at":"2026-09-21T14:13:20Z","verification_id":"ver_1"},"event":"verification.update"}' | sha256sum
    expect(ofVerification).toBe("4ad3f4785206c50ed84b385f7c29417cdabf5cfa626571a4bf1f8b690afbbe03");
    const ofNumbers = keyOf({
      event: "verification.update",
      data: { id: 1_790_000_000_123_456, updated_at: 1_790_000_000.123456 },
    });
    // printf '{"data":{"id":1790000000123456,"updated_at":1790000000.123456},"event":"verification.update"}' | sha256sum
    expect(ofNumbers).toBe("0e6d6500fb731e07ccb5cd00022f272922b6bb083daa8d85b3a549cf0fc831cc");
    // printf '["msg_1","SENT","001790000000."]' | sha256sum
    expect(ofMessage).toBe("f410210af0935b3102bf39e9d48bdb27bdebd612c72b933015ff8210d7767d8e");
  });

  test("of a message without id, status or instant depends on the whole payload", () => {
    for (const missing of ["message_id", "status", "status_updated_at"]) {
      const event = "message.status.update";
      const partial = { ...message, [missing]: undefined };
      expect(keyOf({ event, data: { ...partial, note: 1 } })).not.toBe(keyOf({ event, data: { ...partial, note: 2 } }));
    }
  });
});

describe("a number that parsing rounds", () => {
  const verificationBody = (id: string) =>
    `{"event":"verification.update","data":{"verification_id":${id},"status":"SENT","updated_at":"${at}"}}`;
  const messageBody = (id: string) =>
    `{"event":"message.status.update","data":{"message_id":${id},"status":"SENT","status_updated_at":"${at}"}}`;

  test("identifies a message or verification by all digits, as the text of it does", () => {
    for (const id of ["1764272645123456789", "1764272645123456800", "9007199254740992"]) {
      expect(eventOfBody(messageBody(id)).data.message_id).toBe(id);
      expect(eventOfBody(messageBody(id)).key).toBe(eventOfBody(messageBody(`"${id}"`)).key);
      expect(eventOfBody(verificationBody(id)).data.verification_id).toBe(id);
    }
    expect(eventOfBody(messageBody("9007199254740991")).data.message_id).toBe("9007199254740991");
  });

  test.each([
    ["9007199254740992", "9007199254740993"],
    ["1764272645123456789", "1764272645123456790"],
    ["1764272645123456800", "1764272645123456801"],
    ["-1764272645123456789", "-1764272645123456790"],
    ["9007199254740991", "9007199254740991.4"],
    ["1", "1.00000000000000001"],
    ["0.1234567890123456", "0.12345678901234560001"],
    ["1e400", "1e401"],
    ["1e-400", "0"],
  ])("distinguishes two events that differ only in %s and %s", (left, right) => {
    expect(Number(left)).toBe(Number(right));
    expect(eventOfBody(`{"id":${left}}`).key).not.toBe(eventOfBody(`{"id":${right}}`).key);
    expect(eventOfBody(verificationBody(left)).key).not.toBe(eventOfBody(verificationBody(right)).key);
  });

  test.each(["1790000000.123456789", "1790000000.000000001", "1790000000123.456789", "1.79E9", "1.790000000123456E9"])(
    "gives a message that is listed with the instant %s the key of its webhook",
    (instant) => {
      const data = `{"message_id":"msg_1","status":"SENT","status_updated_at":${instant}}`;
      const webhook = eventOfBody(`{"event":"message.status.update","data":${data}}`);
      expect(eventOf({ event: "message.status.update", data: parseExact(data) }).key).toBe(webhook.key);
      expect(webhook.rank).toMatch(/^00179/);
    },
  );

  test("leaves the payload, and the order of members, as they are", () => {
    const body = (members: string) => `{"type":"new.kind","data":{${members}}}`;
    const event = eventOfBody(body('"id":1764272645123456789,"price":1.50'));
    expect(event.payload).toEqual(JSON.parse(event.body));
    expect(eventOfBody(body('"price":1.50,"id":1764272645123456789')).key).toBe(event.key);
    expect(eventOfBody(body('"price":1.5,"id":1764272645123456789')).key).toBe(event.key);
  });
});

describe("bodies with unusual content", () => {
  test("are read with a byte order mark, and with bytes that are not UTF-8", () => {
    const plain = eventOf({ data: message });
    expect(parseEvent(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bodyOf({ data: message })]))).toEqual(plain);
    const broken = Buffer.concat([Buffer.from('{"data":{"message_id":"'), Buffer.from([0xff]), Buffer.from('"}}')]);
    expect(parseEvent(broken)).toMatchObject({ data: { message_id: "\ufffd" } });
  });

  test("have a key even if they are nested too deeply for the stack", () => {
    const nested = (inner: string) =>
      `{"data":{"updated_at":"${at}","x":${"[".repeat(200_000)}${inner}${"]".repeat(200_000)}}}`;
    const keyOfText = (text: string) => {
      const event = parseEvent(new TextEncoder().encode(text));
      return "key" in event ? event.key : undefined;
    };
    expect(keyOfText(nested("1"))).toMatch(/^[0-9a-f]{64}$/);
    expect(keyOfText(nested("1"))).not.toBe(keyOfText(nested("2")));
    expect(keyOfText(nested("1").replace('"x"', '"verification_id":1764272645123456789,"x"'))).toMatch(
      /^[0-9a-f]{64}$/,
    );
  });
});

describe("rankInstant", () => {
  test.each([
    ["a fraction is later than none", "2026-09-21T14:13:05Z", "2026-09-21T14:13:05.1Z"],
    ["microseconds count", "2026-09-21T14:13:05.123456Z", "2026-09-21T14:13:05.123457Z"],
    ["digits beyond nanoseconds count", "2026-09-21T14:13:05.0000000001Z", "2026-09-21T14:13:05.0000000002Z"],
    ["offsets compare", "2026-09-21T16:13:04+02:00", "2026-09-21T14:13:05Z"],
    ["an offset passes midnight", "2027-01-01T00:30:00+01:00", "2026-12-31T23:30:01Z"],
    ["9 is before 10", 9, 10],
    ["a leap second is after the one before it", "2016-12-31T23:59:59.9Z", "2016-12-31T23:59:60Z"],
  ])("ranks by value: %s", (_name, earlier, later) => {
    expect(rankInstant(earlier) < rankInstant(later)).toBe(true);
  });

  test.each([
    ["2026-09-21T14:13:05Z", "2026-09-21T14:13:05.000Z"],
    ["2026-09-21T14:13:05Z", "2026-09-21T14:13:05"],
    ["2026-09-21T14:13:05Z", "2026-09-21T16:13:05+0200"],
    ["2026-09-21T14:13:05Z", "2026-09-21 16:13:05+02"],
    ["2026-09-21T14:13:05.5Z", "2026-09-21T14:13:05,5z"],
    ["2026-09-21T14:13:00Z", "2026-09-21T14:13Z"],
    ["2024-02-29T00:00:00Z", 1_709_164_800],
  ])("ranks %s and %s equally", (left, right) => {
    expect(rankInstant(left)).toBe(rankInstant(right));
    expect(rankInstant(left)).not.toBe("");
  });

  test.each([
    "",
    "x2026-09-21T14:13:05Z",
    "2026-09-21T14:13:05Zx",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-09-21T24:00:00Z",
    "2026-09-21T14:60:00Z",
    "2026-09-21",
    "2026-09-21T14:13:05+25:00",
    "1970-01-01T00:00:00+00:01",
    "1e9",
    " 1790000000",
    "1790000000123456",
    -1,
    Number.NaN,
    null,
    [1_790_000_000],
  ])("returns an empty rank for %j", (value) => {
    expect(rankInstant(value)).toBe("");
  });
});

test.each(["1970-01-01T00:00:00Z", 0])("the first instant that has a rank is %s", (instant) => {
  expect(rankInstant(instant)).toBe("000000000000.");
});

test("an instant of 64 characters has a rank, a longer one has none", () => {
  const instant = `1790000000.${"1".repeat(53)}`;
  expect([rankInstant(instant), rankInstant(`${instant}1`)]).toEqual([`00${instant}`, ""]);
});

test("a number is read as milliseconds from 1973 on", () => {
  expect(rankInstant(100_000_000_000)).toBe(rankInstant("1973-03-03T09:46:40Z"));
  expect(rankInstant(99_999_999_999)).toBe("099999999999.");
});
