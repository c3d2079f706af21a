import { createPhoneLogin, type PhoneLoginClient } from "@doorcode/browser";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { codeSent, createScriptedFetch, loggedIn, none, type ScriptedFetch, settled } from "./scripted-fetch.ts";

/** The parts of a page that the client looks at. */
class FakeDocument extends EventTarget {
  visibilityState = "visible";
  show(visibilityState: "visible" | "hidden"): void {
    this.visibilityState = visibilityState;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

let document: FakeDocument;
let window: EventTarget;
let server: ScriptedFetch;
let login: PhoneLoginClient;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-05-01T12:00:00Z") });
  document = new FakeDocument();
  window = new EventTarget();
  vi.stubGlobal("document", document);
  vi.stubGlobal("window", window);
  onTestFinished(() => {
    login.close();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  server = createScriptedFetch();
  login = createPhoneLogin({ fetch: server.fetch, state: codeSent() as never });
});

const wait = "/login/state?after=v1&waitSeconds=20";

test("waits for a change while there is a subscriber, one request at a time", async () => {
  expect(server.requests).toEqual([]);
  login.subscribe(() => {});
  expect(server.only().path).toBe(wait);
  await server.only().answer(codeSent({ version: "v2" }));
  expect(server.only().path).toBe("/login/state?after=v2&waitSeconds=20");
  login.subscribe(() => {});
  expect(server.open()).toHaveLength(1);
});

test("waits only while a code is on its way", async () => {
  login.subscribe(() => {});
  await server.only().answer(loggedIn);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(server.open()).toEqual([]);
  expect(login.getSnapshot().state).toEqual(loggedIn);
});

test("tells of a changed state, and not of one with the same version", async () => {
  const onChange = vi.fn();
  login.subscribe(onChange);
  const before = login.getSnapshot();
  await vi.advanceTimersByTimeAsync(20_000);
  await server.only().answer(codeSent({ expiresInSeconds: 280, resendInSeconds: 10 }));
  expect(onChange).not.toHaveBeenCalled();
  expect(login.getSnapshot()).toBe(before);
  await server.only().answer(codeSent({ version: "v2", delivery: { status: "delivered", attempts: [] } }));
  expect(onChange).toHaveBeenCalledOnce();
  expect(login.getSnapshot().state).toMatchObject({ delivery: { status: "delivered" } });
});

describe("when the server does not wait", () => {
  test.each([
    { header: { "retry-after": "7" }, seconds: 7 },
    { header: {}, seconds: 5 },
  ])("asks again after $seconds seconds", async ({ header, seconds }) => {
    login.subscribe(() => {});
    await server.only().answer(codeSent(), { headers: header });
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
    expect(server.open()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(server.only().path).toBe(wait);
  });
});

describe("is never asked without end", () => {
  const { version, ...withoutVersion } = codeSent() as { readonly version: string };

  test.each<[string, (round: number) => object]>([
    ["when the state has no version", () => withoutVersion],
    ["when the state has another version each time it is read", (round) => codeSent({ version: `round ${round}` })],
  ])("%s", async (_, stateOf) => {
    login = createPhoneLogin({ fetch: server.fetch, state: stateOf(0) as never });
    login.subscribe(() => {});
    for (let round = 1; round <= 50 && server.open().length > 0; round += 1) await server.only().answer(stateOf(round));
    expect(server.requests.length).toBeLessThan(20);
    await vi.advanceTimersByTimeAsync(5000);
    expect(server.open()).toHaveLength(1);
  });

  test("when the server wants a pause that is longer than timers can be", async () => {
    login.subscribe(() => {});
    const problem = { code: "store_unavailable", retryAfterSeconds: 4_000_000 };
    await server.only().answer(problem, { status: 503 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.open()).toEqual([]);
  });

  test("when the pause is no number", async () => {
    login.subscribe(() => {});
    await server.only().answer({ code: "store_unavailable", retryAfterSeconds: "soon" }, { status: 503 });
    expect(server.open()).toEqual([]);
  });
});

test("counts down to the same instants when the clock of the browser was set", async () => {
  const onChange = vi.fn();
  login.subscribe(onChange);
  vi.setSystemTime(Date.now() - 3_600_000);
  await server.only().answer(codeSent({ expiresInSeconds: 299, resendInSeconds: 29 }));
  expect(onChange).toHaveBeenCalledOnce();
  const now = Date.now();
  expect(login.getSnapshot().state).toMatchObject({ expiresAt: now + 299_000, resendAt: now + 29_000, checkAt: now });
});

test("asks once more immediately when the wait ends without a login: another tab may have logged in", async () => {
  login.subscribe(() => {});
  await server.only().answer(none);
  expect(login.getSnapshot().state).toMatchObject({ status: "code_sent" });
  expect(server.only().path).toBe("/login/state");
  await server.only().answer(loggedIn);
  expect(login.getSnapshot().state).toEqual(loggedIn);
});

test("believes the second answer", async () => {
  login.subscribe(() => {});
  await server.only().answer(none);
  await server.only().answer(none);
  expect(login.getSnapshot().state).toEqual(none);
  expect(server.open()).toEqual([]);
});

test("the wait ends with the code, so that the page learns that it has expired", async () => {
  login = createPhoneLogin({ fetch: server.fetch, state: codeSent({ expiresInSeconds: 8 }) as never });
  login.subscribe(() => {});
  expect(server.only().path).toBe("/login/state?after=v1&waitSeconds=9");
});

test("pauses longer after each failure, up to half a minute, and differently in each client", async () => {
  const pauses: number[] = [];
  for (const random of [0, 0.999]) {
    vi.spyOn(Math, "random").mockReturnValue(random);
    login.close();
    login = createPhoneLogin({ fetch: server.fetch, state: codeSent() as never });
    login.subscribe(() => {});
    for (let failure = 0; failure < 7; failure += 1) {
      await server.only().fail();
      const failedAt = Date.now();
      await vi.advanceTimersToNextTimerAsync();
      pauses.push(Math.round((Date.now() - failedAt) / 100) / 10);
    }
  }
  expect(pauses).toEqual([0.5, 1, 2, 4, 8, 15, 15, 1, 2, 4, 8, 16, 30, 30]);
  expect(login.getSnapshot().problem).toBeUndefined();
});

describe.each([
  { event: "visibilitychange", happens: () => document.show("visible") },
  { event: "pageshow", happens: () => window.dispatchEvent(new Event("pageshow")) },
  { event: "online", happens: () => window.dispatchEvent(new Event("online")) },
])("after $event", ({ happens }) => {
  test("T36: asks for the state within 300 ms, in place of the old wait, and then waits anew", async () => {
    login.subscribe(() => {});
    const old = server.only();
    happens();
    await vi.advanceTimersByTimeAsync(300);
    expect(old.signal.aborted).toBe(true);
    expect(server.only().path).toBe("/login/state");
    await server.only().answer(codeSent());
    expect(server.only().path).toBe(wait);
  });

  test("asks also when nothing is on its way", async () => {
    login = createPhoneLogin({ fetch: server.fetch, state: none as never });
    login.subscribe(() => {});
    happens();
    await vi.advanceTimersByTimeAsync(300);
    await server.only().answer(codeSent());
    expect(server.only().path).toBe(wait);
  });

  test("asks nothing without a subscriber", async () => {
    login.subscribe(() => {})();
    happens();
    await vi.advanceTimersByTimeAsync(300);
    expect(server.open()).toEqual([]);
  });
});

test("the events of one return are one request", async () => {
  login.subscribe(() => {});
  document.show("visible");
  window.dispatchEvent(new Event("pageshow"));
  window.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(1000);
  expect(server.requests.map(({ path }) => path)).toEqual([wait, "/login/state"]);
});

test("asks nothing while the page is hidden", async () => {
  login.subscribe(() => {});
  document.show("hidden");
  expect(server.open()).toEqual([]);
  window.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(server.open()).toEqual([]);
});

test("begins no wait while the page is hidden: not with a subscription, and not after an action", async () => {
  document.visibilityState = "hidden";
  login.subscribe(() => {});
  expect(server.open()).toEqual([]);
  const result = login.resend();
  await server.only().answer(codeSent({ version: "v2" }));
  await result;
  expect(server.open()).toEqual([]);
});

test("an action ends the wait, whose answer would be older, and a new one begins after it", async () => {
  login.subscribe(() => {});
  const old = server.only();
  const result = login.resend();
  expect(old.signal.aborted).toBe(true);
  document.show("visible");
  await vi.advanceTimersByTimeAsync(300);
  expect(server.only().path).toBe("/login/resend");
  await server.only().answer(codeSent({ version: "v2" }));
  await result;
  expect(server.only().path).toBe("/login/state?after=v2&waitSeconds=20");
});

test("after a refusal the state is read immediately, because the login may have ended", async () => {
  login.subscribe(() => {});
  const result = login.confirm("000000");
  await server.only().answer({ code: "attempts_exhausted", attemptsLeft: 0 }, { status: 400 });
  expect(await result).toHaveProperty("problem.code", "attempts_exhausted");
  expect(server.only().path).toBe("/login/state");
  await server.only().answer(none);
  expect(login.getSnapshot()).toMatchObject({ state: none, problem: { code: "attempts_exhausted" } });
});

describe("the wait is aborted", () => {
  test("when the last one unsubscribes", async () => {
    const ends = [login.subscribe(() => {}), login.subscribe(() => {})];
    const request = server.only();
    ends[0]?.();
    ends[0]?.();
    expect(request.signal.aborted).toBe(false);
    ends[1]?.();
    expect(request.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.open()).toEqual([]);
  });

  test("by close", async () => {
    login.subscribe(() => {});
    login.close();
    await settled();
    expect(server.open()).toEqual([]);
    document.show("visible");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.open()).toEqual([]);
  });
});

test("begins again with the next subscription", () => {
  login.subscribe(() => {})();
  login.subscribe(() => {});
  expect(server.only().path).toBe(wait);
});

test("waits a second for a login whose code has expired by the clock of the browser", async () => {
  await vi.advanceTimersByTimeAsync(400_000);
  login.subscribe(() => {});
  expect(server.only().path).toBe("/login/state?after=v1&waitSeconds=1");
});

test("asks nothing more after close, also when an action ends later", async () => {
  login.subscribe(() => {});
  const read = login.state();
  login.close();
  await read;
  await settled();
  expect(server.open()).toEqual([]);
});

test("the first failure after an answer is followed by the shortest pause again", async () => {
  vi.spyOn(Math, "random").mockReturnValue(1);
  onTestFinished(() => void vi.restoreAllMocks());
  login.subscribe(() => {});
  for (const seconds of [1, 2]) {
    await server.only().fail();
    await vi.advanceTimersByTimeAsync(seconds * 1000);
  }
  await server.only().answer(codeSent({ version: "v2" }));
  await server.only().fail();
  await vi.advanceTimersByTimeAsync(1000);
  expect(server.open()).toHaveLength(1);
});
