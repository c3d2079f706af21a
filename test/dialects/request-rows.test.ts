import { describe, expect, test } from "vitest";
import { messageBody, setUpRawApi, verificationBody } from "./raw-api-setup.ts";

describe("channelNames", () => {
  const pigeon = verificationBody({ channels: [{ channel_name: "CARRIER_PIGEON", priority: 1 }] });

  test("five: another channel is refused, and the field is named", async () => {
    const { call } = await setUpRawApi({});
    const { status, json } = await call("POST", "/verifications", pigeon);
    expect([status, json]).toMatchObject([422, { field: "channels[0].channel_name" }]);
  });

  test("any: another channel sends the code and occurs in the events, if its name can be part of a path; messages are still SMS only", async () => {
    const { call, application, payloads } = await setUpRawApi({ channelNames: "any" });
    expect((await call("POST", "/verifications", pigeon)).status).toBe(200);
    await application.clock.advance("1s");
    expect(application.inbox.list()).toMatchObject([{ channel: "CARRIER_PIGEON", status: "DELIVERED" }]);
    expect(payloads.map(({ data }) => data.channel)).toEqual(["CARRIER_PIGEON", "CARRIER_PIGEON"]);
    const sms = await call("POST", "/messages", messageBody({ channel: "CARRIER_PIGEON" }));
    expect([sms.status, sms.json]).toMatchObject([422, { field: "channels[0].channel" }]);
    for (const channel_name of ["half a \ud83d", ".."]) {
      const { status, json } = await call(
        "POST",
        "/verifications",
        verificationBody({ channels: [{ channel_name, priority: 1 }] }),
      );
      expect([status, json]).toMatchObject([422, { field: "channels[0].channel_name" }]);
    }
  });
});

describe("customOtpTemplate", () => {
  const bare = { template: undefined, custom_otp: "007007" };

  test("required: refused without a template, and the field is named; with one the text contains the code", async () => {
    const { call, application } = await setUpRawApi({ customOtpTemplate: "required" });
    const { status, json } = await call("POST", "/verifications", verificationBody(bare));
    expect([status, json]).toMatchObject([422, { field: "template" }]);
    expect((await call("POST", "/verifications", verificationBody({ custom_otp: "007007" }))).status).toBe(200);
    expect(application.inbox.list()).toMatchObject([{ text: "Your code is 007007", code: "007007" }]);
  });
});

describe("httpTargets", () => {
  const http = { callback_url: "http://localhost:9/webhooks" };
  const https = { callback_url: "https://localhost:9/webhooks" };
  const [httpEndpoint, httpsEndpoint] = [{ url: http.callback_url }, { url: https.callback_url }];

  test("loopback: http is accepted on this machine, as callback_url and as endpoint, and refused elsewhere", async () => {
    const { call, control } = await setUpRawApi({});
    expect((await call("POST", "/messages", messageBody(http))).status).toBe(200);
    expect((await call("POST", "/verifications", verificationBody(http))).status).toBe(200);
    expect((await control("/endpoints", httpEndpoint)).status).toBe(201);
    const elsewhere = await call("POST", "/messages", messageBody({ callback_url: "http://example.com/webhooks" }));
    expect([elsewhere.status, elsewhere.json]).toMatchObject([422, { field: "callback_url" }]);
  });

  test("refused: http is refused as callback_url and as endpoint, and https on this machine is accepted", async () => {
    const { call, control, application } = await setUpRawApi({ httpTargets: "refused" });
    const before = application.endpoints.list();
    for (const request of [
      await call("POST", "/messages", messageBody(http)),
      await call("POST", "/verifications", verificationBody(http)),
    ]) {
      expect([request.status, request.json]).toMatchObject([422, { field: "callback_url" }]);
    }
    const refused = await control("/endpoints", httpEndpoint);
    expect([refused.status, application.endpoints.list()]).toEqual([422, before]);
    expect(() => application.deliverTo(httpEndpoint.url)).toThrow(TypeError);
    expect(application.endpoints.list()).toEqual(before);

    expect((await control("/endpoints", httpsEndpoint)).status).toBe(201);
    expect((await call("POST", "/messages", messageBody(https))).status).toBe(200);
  });
});
