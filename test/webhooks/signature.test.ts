import { describe, expect, test } from "vitest";
import { createDeployment } from "../support/deployment.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { host, hosts } from "../support/hosts.ts";
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

/** An unsigned delivery must not reach the store: this one fails every call. */
function unreachableStore() {
  const failing = createFailingStore(createDeployment());
  failing.failOn();
  return failing.store;
}

const refusal = { status: 401, code: "signature_invalid" };

describe.each(hosts)("signatures on $name", (host) => {
  const body = '{"event":"message.status.update","data":{"message_id":"m1","status":"zu\ufffdber","n":1}}';

  const right = signatureOf(body, 1_790_000_000);
  const timestamp = ["x-webhook-timestamp", "1790000000"] as const;

  // The tests of the signature in core have its vectors.
  test.each<{ what: string; headers: HeaderLines }>([
    { what: "the signature of another body", headers: signed(`${body} `, 1_790_000_000) },
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

  test.each([
    { what: "headers", signature: "v1=00", connection: "close" },
    { what: "body", signature: `v1=${"0".repeat(64)}`, connection: "keep-alive" },
  ])("W2: a refusal keeps the connection only if the whole request was read: wrong $what", async (given) => {
    const { send } = await setUpWebhooks(host);
    const { status, headers } = await send([timestamp, ["x-webhook-signature", given.signature]], body);
    expect([status, headers.connection]).toEqual([401, given.connection]);
  });

  test("W4: finds the right v1 in any of several signature headers", async () => {
    const { send, calls } = await setUpWebhooks(host);
    const versions = ["v2=abc", "v1=", `v1=${right}`].map((entry) => ["x-webhook-signature", entry] as const);
    const answer = await send([timestamp, ...versions], body);

    expect(answer.status).toBe(204);
    expect(calls).toHaveLength(1);
  });
});

describe("a regenerated signing secret", () => {
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
