import { type Dialect, dialectChoices, type Settings } from "@doorcode/sandbox";
import { describe, expect, test } from "vitest";
import { messageOnWire, setUpWire, verificationOnWire, type WireBench } from "./raw-api-setup.ts";
import { plainPhone } from "./requests.ts";

/** A message that is delivered and a verification that is approved, with every event of theirs. */
async function setUpEvents(dialect: Partial<Dialect>, settings: Partial<Settings> = {}) {
  const bench = await setUpWire(dialect, settings);
  await bench.call("POST", "/messages", messageOnWire());
  const { id, code } = await bench.verify();
  await bench.application.clock.advance("1s");
  await bench.confirm(id, code);
  await bench.application.deliveries.settled();
  const ofMessage = bench.payloads.filter(({ data }) => "message_id" in data);
  const ofVerification = bench.payloads.filter(({ data }) => "verification_id" in data);
  return { ...bench, ofMessage, ofVerification };
}

describe("envelope", () => {
  test.each(dialectChoices.envelope)("%s beside data, and nothing else", async (envelope) => {
    const { ofMessage, ofVerification } = await setUpEvents({ envelope });
    const name = (event: string) => (envelope === "data_only" ? {} : { [envelope]: event });

    expect([ofMessage.length, ofVerification.length]).toEqual([2, 3]);
    for (const { data, ...rest } of ofMessage) expect(rest).toEqual(name("message.status.update"));
    for (const { data, ...rest } of ofVerification) expect(rest).toEqual(name("verification.update"));
  });
});

describe("eventFields", () => {
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const text = expect.any(String);
  const sms = { message_id: text, recipient: plainPhone, status: "SENT", status_updated_at: instant };
  const code = { verification_id: text, status: "PENDING", updated_at: instant };
  const more = { request_id: text, channel: "SMS" };
  const moreOfCode = { ...more, recipient: plainPhone, channel_status: "SENT" };

  test("bare: what the specification names, in messages, in verifications and in GET /messages", async () => {
    const { ofMessage, ofVerification, call } = await setUpEvents({ eventFields: "bare" });
    const list = await call("GET", "/messages");

    expect([ofMessage[0]?.data, ofVerification[0]?.data]).toEqual([sms, code]);
    expect(list.json).toEqual({ messages: [{ ...sms, status: "DELIVERED" }] });
  });

  test("documented: also the request, the recipient, the channel and its status", async () => {
    const { ofMessage, ofVerification } = await setUpEvents({});

    expect(ofMessage[0]?.data).toEqual({ ...sms, ...more });
    expect(ofVerification[0]?.data).toEqual({ ...code, ...moreOfCode });
    // The outcome is of no channel.
    const outcome = { request_id: text, recipient: plainPhone, status: "APPROVED" };
    expect(ofVerification.at(-1)?.data).toEqual({ ...code, ...outcome });
  });

  test("rich: also fields of every type that nobody documented", async () => {
    const { ofMessage, ofVerification, call } = await setUpEvents({ eventFields: "rich" });
    const list = await call("GET", "/messages");
    const surprises = {
      price: expect.any(Object),
      error: null,
      tags: expect.any(Array),
      "x-trace": expect.any(Object),
    };

    expect(ofMessage[0]?.data).toEqual({ ...sms, ...more, ...surprises });
    expect(ofVerification[0]?.data).toEqual({ ...code, ...moreOfCode, ...surprises });
    expect(list.json).toEqual({ messages: [{ ...sms, ...more, ...surprises, status: "DELIVERED" }] });
  });
});

describe("instants", () => {
  const isoForms = {
    iso_milliseconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    iso_seconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    iso_microseconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
    iso_offset: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+02:00$/,
    epoch_seconds: /^\d{10}$/,
    epoch_milliseconds: /^\d{13}$/,
  } as const;

  /** Read as JavaScript reads them, with nothing of ours. */
  function millisecondsOf(instant: unknown): number {
    if (typeof instant === "string") return Date.parse(instant);
    return typeof instant === "number" ? instant * (instant < 1e11 ? 1000 : 1) : Number.NaN;
  }

  const instantsOf = ({ ofMessage, ofVerification }: Awaited<ReturnType<typeof setUpEvents>>) =>
    [ofMessage.map(({ data }) => data.status_updated_at), ofVerification.map(({ data }) => data.updated_at)] as const;

  test.each(dialectChoices.instants)("%s: in that form, and of that moment", async (instants) => {
    const bench = await setUpEvents({ instants });
    const [ofMessage, ofVerification] = instantsOf(bench);
    const { json } = await bench.call("GET", "/messages");

    for (const instant of [...ofMessage, ...ofVerification]) {
      expect(typeof instant).toBe(instants.startsWith("iso") ? "string" : "number");
      expect(String(instant)).toMatch(isoForms[instants]);
    }
    // A message keeps each moment as it was told: whatever the form, it is that one.
    const kept = bench.application.inbox.list()[0]?.timeline.slice(1) ?? [];
    expect(ofMessage.map(millisecondsOf)).toEqual(kept.map(({ at }) => Date.parse(at)));
    expect(json).toMatchObject({ messages: [{ status_updated_at: ofMessage.at(-1) }] });
  });

  test.each(dialectChoices.instants)(
    "%s: no two events of one message, or one verification, share one",
    async (form) => {
      const atOnce = { sentAfterMilliseconds: 0, outcomeAfterMilliseconds: 0 };
      const bench = await setUpEvents({ instants: form, messageStatuses: "five" }, atOnce);

      for (const [index, instants] of instantsOf(bench).entries()) {
        const moments = instants.map(millisecondsOf);
        expect(moments).toHaveLength(3 + index);
        expect(moments).toEqual([...new Set(moments)].toSorted((left, right) => left - right));
      }
    },
  );
});

describe("verificationStatuses", () => {
  test.each([
    ["known", ["PENDING", "PENDING", "APPROVED"], "EXPIRED", "FAILED"],
    ["own", ["in_progress", "in_progress", "verified"], "timed out", "undeliverable"],
  ] as const)("%s", async (verificationStatuses, approved, expired, failed) => {
    const { ofVerification, verify, application, payloads } = await setUpEvents({ verificationStatuses });
    expect(ofVerification.map(({ data }) => data.status)).toEqual(approved);

    await verify();
    await application.clock.advance("10m");
    expect(payloads.at(-1)?.data.status).toBe(expired);
    application.configure({ behaviours: { [plainPhone]: "sms_fails" } });
    await verify();
    await application.clock.advance("1s");
    expect(payloads.at(-1)?.data.status).toBe(failed);
  });
});

describe("messageStatuses", () => {
  test.each([
    ["four", ["SENT", "DELIVERED"]],
    ["five", ["BUFFERED", "SENT", "DELIVERED"]],
  ] as const)("%s, of a message and of the message that carries a code", async (messageStatuses, told) => {
    const { ofMessage, ofVerification } = await setUpEvents({ messageStatuses });
    expect(ofMessage.map(({ data }) => data.status)).toEqual(told);
    expect(ofVerification.map(({ data }) => data.channel_status)).toEqual([...told, undefined]);
  });

  test("five: GET /messages shows the one more too", async () => {
    const { call, application } = await setUpWire({ messageStatuses: "five" });
    await call("POST", "/messages", messageOnWire());
    await application.clock.advance("50ms");
    expect((await call("GET", "/messages")).json).toMatchObject({ messages: [{ status: "BUFFERED" }] });
  });
});

describe("messageList", () => {
  const listed = async ({ call }: WireBench) => (await call("GET", "/messages")).json;
  const record = expect.objectContaining({
    message_id: expect.any(String),
    recipient: plainPhone,
    status: "DELIVERED",
  });

  test.each([
    ["messages", (records: unknown) => ({ messages: records })],
    ["array", (records: unknown) => records],
    ["data", (records: unknown) => ({ data: records })],
  ] as const)("%s: messages of POST /messages alone, the newest first", async (messageList, place) => {
    const bench = await setUpEvents({ messageList });
    expect(await listed(bench)).toEqual(place([record]));
    await bench.call("POST", "/messages", messageOnWire());
    const queued = expect.objectContaining({ status: "QUEUED" });
    expect(await listed(bench)).toEqual(place([queued, record]));
  });
});

test("verifications are no messages, in any list", async () => {
  const { call } = await setUpWire({ messageList: "array" });
  await call("POST", "/verifications", verificationOnWire());
  expect((await call("GET", "/messages")).json).toEqual([]);
});
