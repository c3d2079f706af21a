import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { setUp } from "../bench.ts";
import type { AdapterHost } from "../host.ts";
import { answerUntilClosed, beginPost, chunkOf, signed } from "../wire.ts";

const limitBytes = 1_048_576;

/** Bodies that no parser and serialiser gives back as they came. */
const exactBodies = {
  "odd spaces and number forms": '{ "event":"message.status.update" ,\r\n "data" : {"n": 1.0, "e": 1E2 } }\n',
  "escapes and plain text beside each other": '{"data":{"b":"\\u00fc\\/","a":"ü 😀"},"event":"message.status.update"}',
  "a member twice": '{"event":"verification.update","event":"message.status.update","data":{}}',
};

function deliveryOf(totalBytes: number): Buffer<ArrayBuffer> {
  const body = Buffer.from('{"event":"message.status.update","data":{"message_id":"m1"}}');
  return Buffer.concat([body, Buffer.alloc(totalBytes - body.byteLength, " ")]);
}

/** Deliveries: the bytes as they were sent, and no more of them than the limit. */
export function describeWebhooks(host: AdapterHost): void {
  describe("webhooks", () => {
    test.each(Object.entries(exactBodies))("hands on the exact bytes of %s", async (_, body) => {
      const { clock, open, handled } = await setUp(host);
      const answer = await open().send("/webhooks", { method: "POST", headers: signed(body, clock.now()), body });
      expect(answer.status).toBe(204);
      expect(handled).toHaveLength(1);
    });

    test("hands on bytes that are no text, which are acknowledged and reported", async () => {
      const { clock, open, events } = await setUp(host);
      const body = Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x00, 0x0d]);
      const answer = await open().send("/webhooks", { method: "POST", headers: signed(body, clock.now()), body });
      expect(answer.status).toBe(204);
      expect(events).toContainEqual({ type: "webhook.unreadable", reason: "not_json" });
    });

    test("refuses a delivery of which one byte was changed", async () => {
      const { clock, open, handled } = await setUp(host);
      const body = exactBodies["odd spaces and number forms"];
      const headers = signed(body, clock.now());
      const answer = await open().send("/webhooks", { method: "POST", headers, body: body.replace("1.0", "1.1") });
      expect([answer.status, answer.json.code]).toEqual([401, "signature_invalid"]);
      expect(handled).toEqual([]);
    });

    test("takes a delivery with a query, and one to the path with a slash at its end", async () => {
      const { clock, open } = await setUp(host);
      const body = "{}";
      const init = { method: "POST", headers: signed(body, clock.now()), body };
      expect((await open().send("/webhooks?source=portal", init)).status).toBe(204);
      expect((await open().send("/webhooks/", init)).status).toBe(204);
    });

    test("takes a delivery without a content type, and one that calls itself text", async () => {
      const { clock, open } = await setUp(host);
      const body = Buffer.from("{}");
      const { "content-type": _, ...headers } = signed(body, clock.now());
      const text = { ...headers, "content-type": "text/plain; charset=latin1" };
      expect((await open().send("/webhooks", { method: "POST", headers, body })).status).toBe(204);
      expect((await open().send("/webhooks", { method: "POST", headers: text, body })).status).toBe(204);
    });

    test("takes a delivery of as many bytes as the limit", async () => {
      const { clock, open, handled } = await setUp(host);
      const body = deliveryOf(limitBytes);
      const answer = await open().send("/webhooks", { method: "POST", headers: signed(body, clock.now()), body });
      expect(answer.status).toBe(204);
      expect(handled).toEqual([{ message_id: "m1" }]);
    });

    test("refuses one byte more with 413 and closes the connection", async () => {
      const { clock, url } = await setUp(host);
      const body = deliveryOf(limitBytes + 1);
      const headers = { ...signed(body, clock.now()), "content-length": String(body.byteLength) };
      const answer = await answerUntilClosed(await beginPost(url, "/webhooks", headers, body));
      expect(answer).toMatch(/^http\/1.1 413 /);
      expect(answer).toContain("connection: close\r\n");
      expect(answer).toContain('"code":"body_too_large"');
    });

    test("refuses a chunked delivery while it is still coming", async () => {
      const { url } = await setUp(host);
      const chunk = chunkOf(Buffer.alloc(limitBytes + 1));
      const socket = await beginPost(url, "/webhooks", { "transfer-encoding": "chunked" }, chunk);
      const answer = await answerUntilClosed(socket);
      expect(answer).toMatch(/^http\/1.1 413 /);
      expect(answer).toContain("connection: close\r\n");
    });

    test("refuses an encoded delivery, whose signature says nothing of what it unpacks to", async () => {
      const { clock, open } = await setUp(host);
      const body = gzipSync("{}");
      const headers = { ...signed(body, clock.now()), "content-encoding": "gzip" };
      const answer = await open().send("/webhooks", { method: "POST", headers, body });
      expect([answer.status, answer.json.code]).toEqual([415, "media_type_unsupported"]);
    });

    test.each(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"])("answers %s with 405 and Allow", async (method) => {
      const { open } = await setUp(host);
      const answer = await open().send("/webhooks", { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe("POST");
    });

    test("a client that hangs up in the middle leaves nothing behind", async () => {
      const bench = await setUp(host);
      const headers = { ...signed("{}", bench.clock.now()), "content-length": "1000" };
      const socket = await beginPost(bench.url, "/webhooks", headers, '{"event":');
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.destroy();
      await closed;
      const answer = await bench.open().send("/webhooks", {
        method: "POST",
        headers: signed("{}", bench.clock.now()),
        body: "{}",
      });
      expect(answer.status).toBe(204);
      expect(bench.faults).toEqual([]);
      expect(bench.events.map(({ type }) => type)).not.toContain("webhook.body_already_read");
    });
  });
}
