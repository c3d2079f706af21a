import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { readFetchBody } from "../src/request.ts";

const unlimited = new AbortController().signal;

function requestOf(body: ReadableStream | string | undefined): Request {
  const init = { method: "POST", duplex: "half" } as const;
  return new Request("http://localhost/", body === undefined ? init : { ...init, body });
}

test("a body is read up to its limit, and an absent one has no bytes", async () => {
  expect(await readFetchBody(requestOf("four"), 4, unlimited)).toEqual({ bytes: Buffer.from("four") });
  expect(await readFetchBody(requestOf(undefined), 4, unlimited)).toEqual({ bytes: new Uint8Array() });
});

test("a body beyond its limit is refused, and its source cancelled, even if that fails", async () => {
  let cancelled = 0;
  const cancel = () => {
    cancelled += 1;
    throw new Error("The source has gone.");
  };
  const body = new ReadableStream({ pull: (source) => source.enqueue(Buffer.from("four")), cancel });
  await expect(readFetchBody(requestOf(body), 3, unlimited)).rejects.toMatchObject({ code: "body_too_large" });
  expect(cancelled).toBe(1);
});

test("W7: a body whose client hangs up is refused", async () => {
  const body = new ReadableStream({ pull: (source) => source.error(new Error("The connection is lost.")) });
  await expect(readFetchBody(requestOf(body), 4, unlimited)).rejects.toMatchObject({ code: "body_malformed" });
});

test.each<[string, (request: Request) => unknown]>([
  ["reads", (request) => request.body?.getReader()],
  [
    "has read and let go of",
    async (request) => {
      const reader = request.body?.getReader();
      await reader?.read();
      reader?.releaseLock();
    },
  ],
])("W5: a body that the app %s is an error with a code of its own", async (_how, use) => {
  const request = requestOf("four");
  await use(request);
  await expect(readFetchBody(request, 4, unlimited)).rejects.toMatchObject({ code: "body_already_read" });
});

test("W19: a body whose time is over is refused with the error of the time, and its source cancelled, even if that fails", async () => {
  const tooSlow = new Error("The time is over.");
  const reasons: unknown[] = [];
  const cancel = (reason: unknown) => {
    reasons.push(reason);
    throw new Error("The source has gone.");
  };
  const body = new ReadableStream({ pull: () => new Promise(() => undefined), cancel });
  const time = new AbortController();
  const reading = readFetchBody(requestOf(body), 4, time.signal);
  time.abort(tooSlow);
  await expect(reading).rejects.toBe(tooSlow);
  expect(reasons).toEqual([tooSlow]);
});

test("W19: a body whose time is over before it is read is refused, and nothing of it is read", async () => {
  const tooSlow = new Error("The time is over.");
  await expect(readFetchBody(requestOf("four"), 4, AbortSignal.abort(tooSlow))).rejects.toBe(tooSlow);
});

test("W19: a chunk that comes at the moment the time is over changes no refusal, also when it is too large", async () => {
  const tooSlow = new Error("The time is over.");
  const time = new AbortController();
  const source = Promise.withResolvers<ReadableStreamDefaultController>();
  const reading = readFetchBody(requestOf(new ReadableStream({ start: source.resolve })), 3, time.signal);
  const { enqueue } = await source.promise.then((each) => ({ enqueue: each.enqueue.bind(each) }));
  await setImmediate();
  enqueue(Buffer.from("four"));
  time.abort(tooSlow);
  await expect(reading).rejects.toBe(tooSlow);
});

test("a body that was read leaves no listener at the signal of its time", async () => {
  const { signal } = new AbortController();
  await readFetchBody(requestOf("four"), 4, signal);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
