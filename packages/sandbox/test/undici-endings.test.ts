import { setImmediate as turn } from "node:timers/promises";
import { errors, fetch, request } from "undici";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ConnectionCut } from "../src/http/refuse.ts";
import { answering, origin } from "./support/dispatcher.ts";

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
