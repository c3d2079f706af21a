import { Readable } from "node:stream";
import { Hono } from "hono";
import { stream } from "hono/streaming";
import { fetch, request } from "undici";
import { describe, expect, test } from "vitest";
import { answering, origin } from "./support/dispatcher.ts";

/** Answers with the request that it received. */
const echo = new Hono().all("/echo/:id", async (c) =>
  c.json({
    method: c.req.method,
    url: c.req.url,
    header: c.req.header("x-given"),
    type: c.req.header("content-type"),
    bytes: Buffer.from(await c.req.arrayBuffer()).toString("hex"),
  }),
);

describe("undici's request", () => {
  test.each([
    ["a string", "Grüße", Buffer.from("Grüße")],
    ["a Buffer", Buffer.from([0, 255, 13, 10]), Buffer.from([0, 255, 13, 10])],
    ["a stream", () => Readable.from([Buffer.from("one"), Buffer.from("two")]), Buffer.from("onetwo")],
    ["more than a buffer holds", "x".repeat(300_000), Buffer.from("x".repeat(300_000))],
    ["nothing", null, Buffer.alloc(0)],
  ])("sends %s", async (_, given, expected) => {
    const body = typeof given === "function" ? given() : given;
    const answer = await request(`${origin}/echo/1?a=b`, {
      dispatcher: answering(echo.fetch),
      method: "POST",
      headers: { "X-Given": "yes", "Content-Type": "text/plain" },
      body,
    });
    expect(answer.statusCode).toBe(200);
    expect(await answer.body.json()).toEqual({
      method: "POST",
      url: `${origin}/echo/1?a=b`,
      header: "yes",
      type: "text/plain",
      bytes: expected.toString("hex"),
    });
  });

  test("receives status, every cookie and the body", async () => {
    const dispatcher = answering(() => {
      const headers = new Headers([
        ["Set-Cookie", "a=1"],
        ["Set-Cookie", "b=2"],
        ["Retry-After", "7"],
      ]);
      return new Response("slow down", { status: 429, headers });
    });
    const { statusCode, headers, body } = await request(`${origin}/`, { dispatcher });
    expect({ statusCode, body: await body.text() }).toEqual({ statusCode: 429, body: "slow down" });
    expect(headers).toMatchObject({ "set-cookie": ["a=1", "b=2"], "retry-after": "7" });
  });
});

describe("undici's fetch", () => {
  test("reads the chunks of an answer when they come", async () => {
    const gate = Promise.withResolvers<void>();
    const dispatcher = answering(
      new Hono().get("/", (c) =>
        stream(c, async (chunks) => {
          await chunks.write("first");
          await gate.promise;
          await chunks.write("second");
        }),
      ).fetch,
    );
    const answer = await fetch(origin, { dispatcher });
    const read: string[] = [];
    for await (const chunk of answer.body ?? []) {
      read.push(Buffer.from(chunk).toString());
      gate.resolve();
    }
    expect(read).toEqual(["first", "second"]);
  });

  test("reaches the sandbox under any origin", async () => {
    const answer = await fetch("https://service.example/echo/1", { dispatcher: answering(echo.fetch) });
    expect(await answer.json()).toMatchObject({ url: "http://service.example/echo/1" });
  });
});
