import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import { vectors } from "../../packages/core/test/webhooks/vectors.ts";
import { createDeployment } from "../support/deployment.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { hosts } from "../support/hosts.ts";
import type { HeaderLines } from "../support/raw-post.ts";
import {
  instant,
  messageEvent,
  secondsOf,
  setUpWebhooks,
  signatureOf,
  signed,
  typesOf,
} from "../support/webhook-setup.ts";

/** Vectors that cannot be sent to an app, and why. The tests of the signature in core run them. */
const notSendable: Readonly<Record<string, string>> = {
  "line break after the timestamp": "a line break ends the header, and HTTP parsers refuse a bare one",
  "line break after the signature": "a line break ends the header, and HTTP parsers refuse a bare one",
  "four secrets, the last right": "createDoorcode takes two secrets at most, and none of five characters",
};
const sendable = vectors.filter(({ name }) => !Object.hasOwn(notSendable, name));

/** An unsigned delivery must not reach the store: this one fails every call. */
function unreachableStore() {
  const failing = createFailingStore(createDeployment());
  failing.failOn();
  return failing.store;
}

const refusal = { status: 401, code: "signature_invalid" };

test("all but three of the 83 vectors are sent over HTTP", () => {
  expect(vectors).toHaveLength(83);
  expect(sendable).toHaveLength(80);
});

describe.each(hosts)("the signature vectors on $name", (host) => {
  const accepted = sendable.filter((vector) => vector.expect === "accepted");
  const refused = sendable.filter((vector) => vector.expect !== "accepted");

  test.each(accepted)("W1, W2, W3, W4: accepts $name", async (vector) => {
    const { secrets: secret, toleranceSeconds, nowSeconds, headers, bodyBase64 } = vector;
    const clock = createManualClock(nowSeconds * 1000);
    // The largest one is larger than the default limit.
    const { send, events } = await setUpWebhooks(host, { clock, secret, toleranceSeconds, limitBytes: 131_072 });
    const answer = await send(Object.entries(headers), Buffer.from(bodyBase64, "base64"));

    expect(answer.status).toBe(204);
    expect(typesOf(events)).not.toContain("webhook.refused");
  });

  test.each(refused)("W1, W2, W3, W4: refuses $name and processes nothing", async (vector) => {
    const { secrets: secret, toleranceSeconds, nowSeconds, headers, bodyBase64 } = vector;
    const clock = createManualClock(nowSeconds * 1000);
    const options = { clock, secret, toleranceSeconds, store: unreachableStore() };
    const { send, calls, events } = await setUpWebhooks(host, options);
    const answer = await send(Object.entries(headers), Buffer.from(bodyBase64, "base64"));

    expect(answer).toMatchObject(refusal);
    expect(typesOf(events)).toEqual(["webhook.refused"]);
    expect(calls).toEqual([]);
  });
});

describe.each(hosts)("signatures on $name", (host) => {
  const body = '{"event":"message.status.update","data":{"message_id":"m1","status":"zu\ufffdber","n":1}}';

  const right = signatureOf(body, 1_790_000_000);
  const timestamp = ["x-webhook-timestamp", "1790000000"] as const;

  test.each<{ what: string; headers: HeaderLines }>([
    { what: "the timestamp twice", headers: [timestamp, timestamp, ["x-webhook-signature", `v1=${right}`]] },
    {
      what: "nine headers with a signature, all of them right",
      headers: [timestamp, ...Array.from({ length: 9 }, () => ["x-webhook-signature", `v1=${right}`] as const)],
    },
  ])("W2: refuses $what", async ({ headers }) => {
    const { send, calls, events } = await setUpWebhooks(host, { store: unreachableStore() });

    expect(await send(headers, body)).toMatchObject(refusal);
    expect(typesOf(events)).toEqual(["webhook.refused"]);
    expect(calls).toEqual([]);
  });

  test("W2: the answer to an invalid signature does not reveal what was wrong", async () => {
    const { send, clock } = await setUpWebhooks(host);
    const now = secondsOf(clock);
    const answers = await Promise.all([
      send([], body),
      send(signed(body, "5junk"), body),
      send(signed(body, now - 301), body),
      send(signed(body, now, "whk_of_somebody"), body),
    ]);

    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  });

  test("W4: finds the right v1 in any of several signature headers", async () => {
    const { send, calls } = await setUpWebhooks(host);
    const versions = ["v2=abc", "v1=", `v1=${right}`].map((entry) => ["x-webhook-signature", entry] as const);
    const answer = await send([timestamp, ...versions], body);

    expect(answer.status).toBe(204);
    expect(calls).toHaveLength(1);
  });
});

describe.each(hosts)("a regenerated signing secret on $name", (host) => {
  const [oldSecret, newSecret] = ["whk_of_today", "whk_of_tomorrow"];
  const sent = JSON.stringify(messageEvent("SENT", instant(1)));
  const delivered = JSON.stringify(messageEvent("DELIVERED", instant(2)));

  test("W15: accepts both secrets while both are configured, and then only the new one", async () => {
    const app = createDeployment();
    const now = secondsOf(app.clock);
    const during = await setUpWebhooks(host, { app, secret: [newSecret, oldSecret] });
    const answersDuring = [
      await during.send(signed(sent, now, oldSecret), sent),
      await during.send(signed(sent, now, newSecret), sent),
    ];
    const after = await setUpWebhooks(host, { app, secret: [newSecret] });
    const byOld = await after.send(signed(delivered, now, oldSecret), delivered);
    const callsByOld = after.calls.length;
    const byNew = await after.send(signed(delivered, now, newSecret), delivered);

    expect(answersDuring.map((answer) => answer.status)).toEqual([204, 204]);
    expect(typesOf(during.events)).toEqual(["webhook.handled", "webhook.duplicate"]);
    expect(byOld).toMatchObject(refusal);
    expect(callsByOld).toBe(0);
    expect(byNew.status).toBe(204);
  });
});
