import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { readBodyInTime } from "../../src/http/body.ts";
import type { Body, HttpRequest } from "../../src/http/exchange.ts";
import { readNodeBody } from "../../src/http/node-exchange.ts";
import { createManualClock } from "../../src/testing.ts";

type ReadBody = (signal: AbortSignal) => Promise<Body>;

/** Begins to read a body, and waits until the clock knows of its time. */
async function begin(readBody: ReadBody) {
  const clock = createManualClock();
  const request = { readBody: (_limitBytes: number, signal: AbortSignal) => readBody(signal) };
  const outcome = readBodyInTime(request as HttpRequest, 1000, clock).catch((error: unknown) => error);
  await setImmediate();
  return { clock, outcome };
}

test("W19: a body that an adapter begins to read when its time is over is not read", async () => {
  const upload = new PassThrough();
  const opened = Promise.withResolvers<void>();
  const { clock, outcome } = await begin(async (signal) => {
    await opened.promise;
    return readNodeBody(upload, {}, 1000, signal);
  });
  await clock.advance(5000);
  expect(await outcome).toMatchObject({ code: "body_too_slow" });
  opened.resolve();
  await setImmediate();
  expect(upload.isPaused()).toBe(true);
});

const failure = new Error("The host's parser has failed.");

test.each<[string, ReadBody, unknown]>([
  ["was read", async () => ({ parsed: 1 }), { parsed: 1 }],
  ["could not be read", () => Promise.reject(failure), failure],
  [
    "is kept behind a getter that throws",
    () => {
      throw failure;
    },
    failure,
  ],
])("a body that %s leaves no timer", async (_how, readBody, expected) => {
  const { clock, outcome } = await begin(readBody);
  expect(await outcome).toEqual(expected);
  expect(clock.pending).toBe(0);
});
