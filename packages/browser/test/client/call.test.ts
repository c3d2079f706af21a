import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { call } from "../../src/client/call.ts";
import { none } from "./scripted-fetch.ts";

const answering = (status: number, body: unknown) => async () => new Response(JSON.stringify(body), { status });

test("a request leaves no listener on its signal, which a live state uses for each of its requests", async () => {
  const { signal } = new AbortController();
  expect(await call(answering(200, none), { action: "state", url: "/", signal })).toMatchObject({ body: none });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test.each([
  [503, none],
  [503, { code: 42 }],
  [200, { status: "none" }],
])("an answer with the status %i and the body %j is no answer of the kit", async (status, body) => {
  const { signal } = new AbortController();
  const answer = await call(answering(status, body), { action: "state", url: "/", signal });
  expect(answer).toMatchObject({ problem: { code: "answer_unreadable", status } });
});
