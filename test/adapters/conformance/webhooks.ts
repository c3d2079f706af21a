import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { beginPost } from "../../support/raw-post.ts";
import { setUp, signed } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

const limitBytes = 65_536;

/** Bodies that parsing and serializing would change. */
const exactBodies = {
  "odd spaces and number forms": '{ "event":"message.status.update" ,\r\n "data" : {"n": 1.0, "e": 1E2 } }\n',
  "escaped and plain characters": '{"data":{"b":"\\u00fc\\/","a":"ü 😀"},"event":"message.status.update"}',
  "a member twice": '{"event":"verification.update","event":"message.status.update","data":{}}',
};

function deliveryOf(totalBytes: number): Buffer<ArrayBuffer> {
  const body = Buffer.from('{"event":"message.status.update","data":{"message_id":"m1"}}');
  return Buffer.concat([body, Buffer.alloc(totalBytes - body.byteLength, " ")]);
}

/** Deliveries: their exact bytes, and their limit. */
export function describeWebhooks(host: AdapterHost): void {
  describe("webhooks", () => {
    test.each(Object.entries(exactBodies))("verifies the exact bytes of %s", async (_, body) => {
      const { clock, open, handled } = await setUp(host);
      const answer = await open().send("/webhooks", { method: "POST", headers: signed(body, clock.now()), body });
      expect(answer.status).toBe(204);
      expect(handled).toHaveLength(1);
    });

    test("accepts a signed body that is not text, and reports it as unreadable", async () => {
      const { clock, open, events } = await setUp(host);
      const body = Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x00, 0x0d]);
      const answer = await open().send("/webhooks", { method: "POST", headers: signed(body, clock.now()), body });
      expect(answer.status).toBe(204);
      expect(events).toContainEqual({ type: "webhook.unreadable", reason: "not_json" });
    });

    test("refuses a delivery with one changed byte", async () => {
      const { clock, open, handled } = await setUp(host);
      const body = exactBodies["odd spaces and number forms"];
      const headers = signed(body, clock.now());
      const answer = await open().send("/webhooks", { method: "POST", headers, body: body.replace("1.0", "1.1") });
      expect([answer.status, answer.json.code]).toEqual([401, "signature_invalid"]);
      expect(handled).toEqual([]);
    });

    test("accepts a delivery with a query, and one with a slash at the end of its path", async () => {
      const { clock, open } = await setUp(host);
      const body = "{}";
      const init = { method: "POST", headers: signed(body, clock.now()), body };
      expect((await open().send("/webhooks?source=portal", init)).status).toBe(204);
      expect((await open().send("/webhooks/", init)).status).toBe(204);
    });

    test("accepts a delivery without a content type, and one as text/plain", async () => {
      const { clock, open } = await setUp(host);
      const body = Buffer.from("{}");
      const { "content-type": _, ...headers } = signed(body, clock.now());
      const text = { ...headers, "content-type": "text/plain; charset=latin1" };
      expect((await open().send("/webhooks", { method: "POST", headers, body })).status).toBe(204);
      expect((await open().send("/webhooks", { method: "POST", headers: text, body })).status).toBe(204);
    });

    test("W7: accepts a delivery of exactly the limit", async () => {
      const { clock, open, handled } = await setUp(host);
      const body = deliveryOf(limitBytes);
      const answer = await open().send("/webhooks", { method: "POST", headers: signed(body, clock.now()), body });
      expect(answer.status).toBe(204);
      expect(handled).toEqual([{ message_id: "m1" }]);
    });

    test("W7: refuses one byte more with 413, and closes the connection", async () => {
      const { clock, url } = await setUp(host);
      const body = deliveryOf(limitBytes + 1);
      const headers = { ...signed(body, clock.now()), "content-length": String(body.byteLength) };
      const post = beginPost(`${url}/webhooks`, Object.entries(headers));
      post.end(body);
      const { status, code, headers: answered } = await post.answer();
      await post.closed();
      expect([status, code, answered.connection]).toEqual([413, "body_too_large", "close"]);
    });

    test("W7: refuses a chunked delivery over the limit before it ends", async () => {
      const { url, clock } = await setUp(host);
      const post = beginPost(`${url}/webhooks`, Object.entries(signed("{}", clock.now())));
      post.write(Buffer.alloc(limitBytes + 1));
      const { status, headers } = await post.answer();
      await post.closed();
      expect([status, headers.connection]).toEqual([413, "close"]);
    });

    test("W19: answers unsigned uploads before their bodies come, and closes their connections", async () => {
      const { url, clock, events } = await setUp(host);
      const old = signed("{}", clock.now() - 301_000);
      const { "x-webhook-signature": _, ...timestampOnly } = signed("{}", clock.now());
      const headers: Record<string, string>[] = [{}, timestampOnly, old];
      const posts = Array.from({ length: 60 }, (_, index) =>
        beginPost(`${url}/webhooks`, Object.entries({ ...headers[index % 3], "content-length": "1000000" })),
      );
      const answers = await Promise.all(posts.map((post) => post.answer()));
      await Promise.all(posts.map((post) => post.closed()));

      expect(new Set(answers.map(({ status, code }) => `${status} ${code}`))).toEqual(
        new Set(["401 signature_invalid"]),
      );
      expect(new Set(answers.map((answer) => answer.headers.connection))).toEqual(new Set(["close"]));
      expect(events.filter(({ type }) => type === "webhook.refused")).toHaveLength(60);
    });

    test("W19: a body that has not come after five seconds is refused with 408, and its connection closed", async () => {
      const { url, clock, failing } = await setUp(host);
      const headers = { ...signed("{}", clock.now()), "content-length": "1000" };
      const post = beginPost(`${url}/webhooks`, Object.entries(headers));
      post.write('{"event":');
      await expect.poll(() => clock.pending).toBe(1);
      await clock.advance(4999);
      expect(clock.pending).toBe(1);
      await clock.advance(1);
      const { status, code, headers: answered } = await post.answer();
      await post.closed();

      expect([status, code, answered.connection]).toEqual([408, "body_too_slow", "close"]);
      expect(failing.carriedOut).toEqual([]);
    });

    test("W6: refuses a compressed delivery, because its signature does not cover the unpacked body", async () => {
      const { clock, open } = await setUp(host);
      const body = gzipSync("{}");
      const headers = { ...signed(body, clock.now()), "content-encoding": "gzip" };
      const answer = await open().send("/webhooks", { method: "POST", headers, body });
      expect([answer.status, answer.json.code]).toEqual([415, "media_type_unsupported"]);
    });

    test("answers every method but POST with 405 and Allow", async () => {
      const { open } = await setUp(host);
      for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const { status, headers } = await open().send("/webhooks", { method });
        expect([method, status, headers.get("allow")]).toEqual([method, 405, "POST"]);
      }
    });

    test("W7: a client that hangs up leaves nothing behind", async () => {
      const { clock, url, open, faults, events } = await setUp(host);
      const headers = { ...signed("{}", clock.now()), "content-length": "1000" };
      const post = beginPost(`${url}/webhooks`, Object.entries(headers));
      post.write('{"event":');
      await post.sent();
      post.destroy();
      await post.closed();
      const answer = await open().send("/webhooks", { method: "POST", headers: signed("{}", clock.now()), body: "{}" });
      expect(answer.status).toBe(204);
      expect(faults).toEqual([]);
      expect(events.map(({ type }) => type)).not.toContain("webhook.body_already_read");
    });
  });
}
