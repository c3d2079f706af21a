import { describe, expect, test } from "vitest";
import { messageOnWire, setUpWire, verificationOnWire } from "./raw-api-setup.ts";
import { plainPhone } from "./requests.ts";

describe("channelNames", () => {
  const pigeon = verificationOnWire({ channels: [{ channel_name: "CARRIER_PIGEON", priority: 1 }] });

  test("five: another is refused, by its field", async () => {
    const { call } = await setUpWire({});
    const { status, json } = await call("POST", "/verifications", pigeon);
    expect([status, json]).toMatchObject([422, { field: "channels[0].channel_name" }]);
  });

  test("any: another carries the code and stands in the events; messages stay SMS", async () => {
    const { call, application, payloads } = await setUpWire({ channelNames: "any" });
    expect((await call("POST", "/verifications", pigeon)).status).toBe(200);
    await application.clock.advance("1s");
    expect(application.inbox.list()).toMatchObject([{ channel: "CARRIER_PIGEON", status: "DELIVERED" }]);
    expect(payloads.map(({ data }) => data.channel)).toEqual(["CARRIER_PIGEON", "CARRIER_PIGEON"]);
    const sms = await call("POST", "/messages", messageOnWire({ channel: "CARRIER_PIGEON" }));
    expect([sms.status, sms.json]).toMatchObject([422, { field: "channels[0].channel" }]);
  });
});

describe("customOtpTemplate", () => {
  const bare = { template: undefined, custom_otp: "007007" };

  test("optional: the code goes out alone", async () => {
    const { call, application } = await setUpWire({});
    expect((await call("POST", "/verifications", verificationOnWire(bare))).status).toBe(200);
    expect(application.inbox.list()).toMatchObject([{ text: "007007", code: "007007" }]);
  });

  test("required: refused without one, by its field; with one it carries the code", async () => {
    const { call, application } = await setUpWire({ customOtpTemplate: "required" });
    const { status, json } = await call("POST", "/verifications", verificationOnWire(bare));
    expect([status, json]).toMatchObject([422, { field: "template" }]);
    expect((await call("POST", "/verifications", verificationOnWire({ custom_otp: "007007" }))).status).toBe(200);
    expect(application.inbox.list()).toMatchObject([{ text: "Your code is 007007", code: "007007" }]);
  });
});

describe("unregisteredSender", () => {
  const nobody = messageOnWire({ sender: "Nobody" });

  test("refused: nothing is sent, and the answer says why", async () => {
    const { call, application } = await setUpWire({});
    const { status, json } = await call("POST", "/messages", nobody);
    const why = { error_code: "message.sender_not_registered", field: "channels[0].sender" };
    expect([status, json]).toMatchObject([422, why]);
    expect(application.inbox.list()).toEqual([]);
  });

  test("fails: accepted, and then FAILED", async () => {
    const { call, application, payloads } = await setUpWire({ unregisteredSender: "fails" });
    const { status, json } = await call("POST", "/messages", nobody);
    expect([status, json]).toMatchObject([200, { messages: [{ recipient: plainPhone, status: "QUEUED" }] }]);
    await application.clock.advance("1s");
    expect(payloads.map(({ data }) => data.status)).toEqual(["SENT", "FAILED"]);
  });
});

describe("httpTargets", () => {
  const http = { callback_url: "http://localhost:9/webhooks" };
  const https = { callback_url: "https://localhost:9/webhooks" };
  const [httpEndpoint, httpsEndpoint] = [{ url: http.callback_url }, { url: https.callback_url }];

  test("loopback: http on this machine is taken, of a request and as an endpoint; elsewhere it is not", async () => {
    const { call, control } = await setUpWire({});
    expect((await call("POST", "/messages", messageOnWire(http))).status).toBe(200);
    expect((await call("POST", "/verifications", verificationOnWire(http))).status).toBe(200);
    expect((await control("/endpoints", httpEndpoint)).status).toBe(201);
    const elsewhere = await call("POST", "/messages", messageOnWire({ callback_url: "http://example.com/webhooks" }));
    expect([elsewhere.status, elsewhere.json]).toMatchObject([422, { field: "callback_url" }]);
  });

  test("refused: http is refused as callback_url and as endpoint, https on this machine is taken", async () => {
    const { call, control, application } = await setUpWire({ httpTargets: "refused" });
    const before = application.endpoints.list();
    for (const request of [
      await call("POST", "/messages", messageOnWire(http)),
      await call("POST", "/verifications", verificationOnWire(http)),
    ]) {
      expect([request.status, request.json]).toMatchObject([422, { field: "callback_url" }]);
    }
    const refused = await control("/endpoints", httpEndpoint);
    expect([refused.status, application.endpoints.list()]).toEqual([422, before]);
    expect(() => application.deliverTo(httpEndpoint.url)).toThrow(TypeError);
    expect(application.endpoints.list()).toEqual(before);

    expect((await control("/endpoints", httpsEndpoint)).status).toBe(201);
    expect((await call("POST", "/messages", messageOnWire(https))).status).toBe(200);
  });
});
