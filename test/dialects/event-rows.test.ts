import { type Dialect, dialectChoices, type Settings } from "@doorcode/sandbox";
import { describe, expect, test } from "vitest";
import { messageBody, type RawApiSetup, setUpRawApi } from "./raw-api-setup.ts";
import { plainPhone } from "./requests.ts";

/** Delivers a message, approves a verification, and collects their events. */
async function setUpEvents(dialect: Partial<Dialect>, settings: Partial<Settings> = {}) {
  const events = await setUpRawApi(dialect, settings);
  await events.call("POST", "/messages", messageBody());
  const { id, code } = await events.verify();
  await events.application.clock.advance("1s");
  await events.confirm(id, code);
  await events.application.deliveries.settled();
  const ofMessage = events.payloads.filter(({ data }) => "message_id" in data);
  const ofVerification = events.payloads.filter(({ data }) => "verification_id" in data);
  return { ...events, ofMessage, ofVerification };
}

describe("envelope", () => {
  test.each(dialectChoices.envelope)("%s stands beside data, and nothing else does", async (envelope) => {
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

  test("bare: only the fields of the specification, in events and in GET /messages", async () => {
    const { ofMessage, ofVerification, call } = await setUpEvents({ eventFields: "bare" });
    const list = await call("GET", "/messages");

    expect([ofMessage[0]?.data, ofVerification[0]?.data]).toEqual([sms, code]);
    expect(list.json).toEqual({ messages: [{ ...sms, status: "DELIVERED" }] });
  });

  test("documented: also the request, the recipient, the channel and its status", async () => {
    const { ofMessage, ofVerification } = await setUpEvents({});

    expect(ofMessage[0]?.data).toEqual({ ...sms, ...more });
    expect(ofVerification[0]?.data).toEqual({ ...code, ...moreOfCode });
    // The outcome belongs to no channel.
    const outcome = { request_id: text, recipient: plainPhone, status: "APPROVED" };
    expect(ofVerification.at(-1)?.data).toEqual({ ...code, ...outcome });
  });

  test("rich: also undocumented fields of every type", async () => {
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

  /** Parses an instant with JavaScript alone. */
  function millisecondsOf(instant: unknown): number {
    if (typeof instant === "string") return Date.parse(instant);
    return typeof instant === "number" ? instant * (instant < 1e11 ? 1000 : 1) : Number.NaN;
  }

  const instantsOf = ({ ofMessage, ofVerification }: Awaited<ReturnType<typeof setUpEvents>>) =>
    [ofMessage.map(({ data }) => data.status_updated_at), ofVerification.map(({ data }) => data.updated_at)] as const;

  test.each(dialectChoices.instants)("%s: written in this form, and of the right moment", async (instants) => {
    const events = await setUpEvents({ instants });
    const [ofMessage, ofVerification] = instantsOf(events);
    const { json } = await events.call("GET", "/messages");

    for (const instant of [...ofMessage, ...ofVerification]) {
      expect(typeof instant).toBe(instants.startsWith("iso") ? "string" : "number");
      expect(String(instant)).toMatch(isoForms[instants]);
    }
    // The timeline of the message holds the right moments.
    const kept = events.application.inbox.list()[0]?.timeline.slice(1) ?? [];
    expect(ofMessage.map(millisecondsOf)).toEqual(kept.map(({ at }) => Date.parse(at)));
    expect(json).toMatchObject({ messages: [{ status_updated_at: ofMessage.at(-1) }] });
  });

  test.each(dialectChoices.instants)(
    "%s: two events of one message or verification never have the same instant",
    async (form) => {
      const atOnce = { sentAfterMilliseconds: 0, outcomeAfterMilliseconds: 0 };
      const events = await setUpEvents({ instants: form, messageStatuses: "five" }, atOnce);

      for (const [index, instants] of instantsOf(events).entries()) {
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
  ] as const)("%s: in messages, and in the channel status of verifications", async (messageStatuses, statuses) => {
    const { ofMessage, ofVerification } = await setUpEvents({ messageStatuses });
    expect(ofMessage.map(({ data }) => data.status)).toEqual(statuses);
    expect(ofVerification.map(({ data }) => data.channel_status)).toEqual([...statuses, undefined]);
  });

  test("five: GET /messages has the additional status too", async () => {
    const { call, application } = await setUpRawApi({ messageStatuses: "five" });
    await call("POST", "/messages", messageBody());
    await application.clock.advance("50ms");
    expect((await call("GET", "/messages")).json).toMatchObject({ messages: [{ status: "BUFFERED" }] });
  });
});

describe("messageList", () => {
  const listed = async ({ call }: RawApiSetup) => (await call("GET", "/messages")).json;
  const record = expect.objectContaining({
    message_id: expect.any(String),
    recipient: plainPhone,
    status: "DELIVERED",
  });

  test.each([
    ["messages", (records: unknown) => ({ messages: records })],
    ["array", (records: unknown) => records],
    ["data", (records: unknown) => ({ data: records })],
  ] as const)("%s: only messages of POST /messages, the newest first", async (messageList, place) => {
    const events = await setUpEvents({ messageList });
    expect(await listed(events)).toEqual(place([record]));
    await events.call("POST", "/messages", messageBody());
    const queued = expect.objectContaining({ status: "QUEUED" });
    expect(await listed(events)).toEqual(place([queued, record]));
  });
});
