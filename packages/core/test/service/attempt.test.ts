import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { attemptRequest, type ServiceDispatcher } from "../../src/service/attempt.ts";
import { createManualClock } from "../../src/testing.ts";

type Handler = Parameters<ServiceDispatcher["dispatch"]>[1];
type Controller = Parameters<NonNullable<Handler["onRequestStart"]>>[0];

const request = { origin: "https://service.example", path: "/v1/messages", method: "POST", headers: {} } as const;

/** Makes an attempt that waits for a connection, which the test gives. */
function setUp() {
  let handler: Handler = {};
  const dispatcher: ServiceDispatcher = {
    dispatch(_request, given) {
      handler = given;
      return true;
    },
    close: async () => undefined,
  };
  const caller = new AbortController();
  const aborted: Error[] = [];
  const controller = { abort: (reason: Error) => void aborted.push(reason) } as unknown as Controller;
  const limits = {
    clock: createManualClock(),
    responseTimeoutSeconds: 10,
    signal: caller.signal,
    limitBytes: 1000,
  };
  const attempt = attemptRequest(dispatcher, request, limits);
  return { attempt, caller, aborted, connect: () => handler.onRequestStart?.(controller, {}), handler: () => handler };
}

test("a request that was given up while it waited for a connection is not sent when there is one", async () => {
  const { attempt, caller, aborted, connect } = setUp();
  caller.abort();
  expect(await attempt).toEqual({ failure: "ABORTED", mayHaveLeft: false });
  connect();
  expect(aborted).toHaveLength(1);
});

test("a request that has ended leaves no listener at the signal of its caller", async () => {
  const { attempt, caller, handler } = setUp();
  handler().onResponseError?.({} as Controller, new Error("refused"));
  await attempt;
  expect(getEventListeners(caller.signal, "abort")).toEqual([]);
});
