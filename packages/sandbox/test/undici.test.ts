import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { Hono } from "hono";
import { stream } from "hono/streaming";
import { errors, fetch, request } from "undici";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ConnectionCut } from "../src/http/refuse.ts";
import { createDispatcher } from "../src/undici.ts";

/** An origin without a server. */
const origin = "http://localhost:4010";

/** Creates a dispatcher that answers with the function, and destroys it at the end of the test. */
function answering(handle: (request: Request) => Response | Promise<Response>) {
  const dispatcher = createDispatcher({ fetch: handle });
  onTestFinished(() => dispatcher.destroy());
  return dispatcher;
}

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
    ["a Buffer", Buffer.from([0, 255, 13, 10]), Buffer.from([0, 255, 13, 10])],
    ["a stream", () => Readable.from([Buffer.from("one"), Buffer.from("two")]), Buffer.from("onetwo")],
    ["more than a buffer holds", "ü".repeat(300_000), Buffer.from("ü".repeat(300_000))],
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

describe("an abort", () => {
  test("before the answer rejects, and aborts the signal of the request", async () => {
    const [arrived, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const dispatcher = answering(({ signal }) => {
      signal.addEventListener("abort", () => left.resolve());
      arrived.resolve();
      return new Promise<Response>(() => {});
    });
    const leaving = new AbortController();
    const aborted = request(origin, { dispatcher, signal: leaving.signal });
    await arrived.promise;
    leaving.abort(new Error("Enough."));
    await expect(aborted).rejects.toThrow("Enough.");
    await left.promise;
  });

  test("during the answer ends its body on both sides", async () => {
    const left = Promise.withResolvers<void>();
    const dispatcher = answering(
      () =>
        new Response(
          new ReadableStream({
            pull: (chunks) => chunks.enqueue(Buffer.alloc(1000)),
            cancel: () => left.resolve(),
          }),
        ),
    );
    const leaving = new AbortController();
    const { body } = await request(origin, { dispatcher, signal: leaving.signal });
    leaving.abort(new Error("Enough."));
    await expect(body.text()).rejects.toThrow("Enough.");
    await left.promise;
  });
});

describe("a cut connection", () => {
  test("instead of an answer fails with a socket error", async () => {
    const dispatcher = answering(() => Promise.reject(new ConnectionCut()));
    await expect(request(origin, { dispatcher })).rejects.toMatchObject({ code: "UND_ERR_SOCKET" });
    const failed = await fetch(origin, { dispatcher }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: "TypeError", cause: { code: "UND_ERR_SOCKET" } });
  });

  test("during an answer interrupts its body", async () => {
    // Hono's listener prints the error of a body.
    vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());
    let pulls = 0;
    const half = new ReadableStream({
      async pull(chunks) {
        pulls += 1;
        await turn();
        if (pulls === 1) chunks.enqueue(Buffer.from('{"half":'));
        else chunks.error(new ConnectionCut());
      },
    });
    const dispatcher = answering(() => new Response(half));
    const { statusCode, body } = await request(origin, { dispatcher });
    expect(statusCode).toBe(200);
    await expect(body.text()).rejects.toMatchObject({ code: "UND_ERR_SOCKET" });
  });

  test("does not affect the next request", async () => {
    let calls = 0;
    const dispatcher = answering(() => {
      calls += 1;
      if (calls === 1) throw new ConnectionCut();
      return new Response("fine");
    });
    await expect(request(origin, { dispatcher })).rejects.toBeInstanceOf(errors.SocketError);
    expect(await (await request(origin, { dispatcher })).body.text()).toBe("fine");
  });
});

test("is not the result of another error of fetch, which is the error of the request", async () => {
  const bug = new RangeError("A bug.");
  const dispatcher = answering(() => Promise.reject(bug));
  await expect(request(origin, { dispatcher })).rejects.toBe(bug);
});
