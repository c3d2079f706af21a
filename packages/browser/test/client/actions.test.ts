import { getEventListeners } from "node:events";
import { type ConfirmOptions, createPhoneLogin, type PhoneLoginClient } from "@doorcode/browser";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { codeSent, createScriptedFetch, loggedIn, none, type ScriptedFetch, settled } from "./scripted-fetch.ts";

const now = Date.parse("2026-05-01T12:00:00Z");
let server: ScriptedFetch;
let login: PhoneLoginClient;

beforeEach(() => {
  vi.useFakeTimers({ now });
  onTestFinished(() => void vi.useRealTimers());
  server = createScriptedFetch();
  login = createPhoneLogin({ basePath: "/login/", fetch: server.fetch });
});

/** Starts a login whose code was sent. */
async function start(): Promise<void> {
  const result = login.start({ phone: "01512 3456789", country: "DE" });
  await server.only().answer(codeSent({ number: "+49 1512 3456789" }));
  await result;
}

test("sends each action as JSON below the mount", async () => {
  await start();
  void login.confirm("123456");
  void login.resend({ channel: "WHATSAPP" });
  void login.cancel();
  void login.logout();
  void login.state();
  void login.offer();
  expect(server.requests.map(({ path, members }) => [path, members])).toEqual([
    ["/login/start", { phone: "01512 3456789", country: "DE" }],
    ["/login/confirm", { code: "123456", transaction: "t1" }],
    ["/login/resend", { channel: "WHATSAPP", transaction: "t1" }],
    ["/login/cancel", { transaction: "t1" }],
    ["/login/logout", {}],
    ["/login/state", undefined],
    ["/login/offer", undefined],
  ]);
});

test("turns seconds into times of the browser's own clock", async () => {
  await start();
  expect(login.getSnapshot().state).toMatchObject({
    expiresAt: now + 300_000,
    resendAt: now + 30_000,
    checkAt: now,
  });
});

test("keeps the whole number, which only the answer to the start has", async () => {
  await start();
  const result = login.resend();
  await server.only().answer(codeSent({ version: "v2" }));
  expect(await result).toMatchObject({ state: { number: "+49 1512 3456789", version: "v2" } });
  const again = login.start({ phone: "+43 664 123456" });
  await server.only().answer(codeSent({ transaction: "t2" }));
  expect(await again).not.toHaveProperty("state.number");
});

test("keeps a time that has not changed, although the server counts whole seconds", async () => {
  await start();
  vi.setSystemTime(now + 900);
  const result = login.state();
  await server.only().answer(codeSent({ version: "v2", expiresInSeconds: 300, resendInSeconds: 29 }));
  expect(await result).toMatchObject({ state: { expiresAt: now + 300_000, resendAt: now + 30_000 } });
});

test("actions leave no listener on the signal of a page that lives long", async () => {
  const { signal } = new AbortController();
  for (let action = 0; action < 3; action += 1) {
    const result = login.state({ signal });
    await server.only().answer(none);
    await result;
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

describe("an older answer", () => {
  test.each(["state", "resend"] as const)("of %s does not take a login back", async (action) => {
    await start();
    void login[action]();
    const [older] = server.open();
    const confirmed = login.confirm("123456");
    await server.open().at(-1)?.answer(loggedIn);
    await confirmed;
    await older?.answer(codeSent({ version: "v2" }));
    expect(login.getSnapshot()).toEqual({ state: loggedIn, problem: undefined, pending: undefined });
  });

  test("of the state does not bring an ended session back", async () => {
    void login.state();
    const [older] = server.open();
    void login.logout();
    await server.open().at(-1)?.answer(none);
    await older?.answer(loggedIn);
    expect(login.getSnapshot().state).toEqual(none);
  });
});

describe("a refused action", () => {
  test("resolves to its problem, with the time of the next try", async () => {
    const result = login.start({ phone: "01512 3456789" });
    const problem = {
      type: "https://problems.example#cooldown",
      title: "Wait.",
      status: 429,
      code: "cooldown",
      retryAfterSeconds: 30,
    };
    await server.only().answer(problem, { status: 429 });
    const expected = { code: "cooldown", action: "start", status: 429, title: "Wait.", retryAt: now + 30_000 };
    expect(await result).toEqual({ problem: expected });
    expect(login.getSnapshot()).toEqual({ state: undefined, problem: expected, pending: undefined });
  });

  test("takes the attempts that are left into the state", async () => {
    await start();
    const result = login.confirm("000000");
    const problem = { code: "code_rejected", attemptsLeft: 2, checkInSeconds: 60 };
    await server.only().answer(problem, { status: 400 });
    expect(await result).toMatchObject({ problem: { attemptsLeft: 2, checkAt: now + 60_000 } });
    expect(login.getSnapshot().state).toMatchObject({ attemptsLeft: 2, checkAt: now + 60_000 });
  });

  test("is forgotten when the next action begins", async () => {
    const result = login.start({ phone: "1" });
    await server.only().answer({ code: "phone_invalid" }, { status: 400 });
    await result;
    void login.start({ phone: "2" });
    expect(login.getSnapshot()).toMatchObject({ problem: undefined, pending: "start" });
  });
});

describe("an action without an answer of the kit", () => {
  test("is network_failed when the server cannot be reached", async () => {
    const result = login.start({ phone: "1" });
    await server.only().fail();
    expect(await result).toEqual({ problem: { code: "network_failed", action: "start" } });
  });

  test("is network_failed after half a minute", async () => {
    const result = login.start({ phone: "1" });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await result).toMatchObject({ problem: { code: "network_failed" } });
    expect(server.open()).toEqual([]);
  });

  test.each([
    { what: "the page of a proxy", text: "<html>", status: 200 },
    { what: "an error page", text: "<html>", status: 502 },
    { what: "JSON without a code", text: "{}", status: 500 },
    { what: "JSON that is no object", text: "null", status: 200 },
    { what: "JSON that is no state", text: '{"ok":true}', status: 200 },
    { what: "JSON with another kind of status", text: '{"status":"error"}', status: 200 },
  ])("is answer_unreadable for $what", async ({ text, status }) => {
    const result = login.start({ phone: "1" });
    await server.only().answerText(text, status);
    expect(await result).toMatchObject({ problem: { code: "answer_unreadable" } });
  });

  test("is aborted by its signal, and shows no problem", async () => {
    const controller = new AbortController();
    const result = login.start({ phone: "1" }, { signal: controller.signal });
    controller.abort();
    expect(await result).toEqual({ problem: { code: "aborted", action: "start" } });
    expect(login.getSnapshot()).toMatchObject({ problem: undefined, pending: undefined });
    expect(await login.start({ phone: "1" }, { signal: controller.signal })).toHaveProperty("problem.code", "aborted");
    expect(server.requests).toHaveLength(1);
  });

  test("is aborted by close, and so is every later one", async () => {
    const result = login.start({ phone: "1" });
    login.close();
    expect(await result).toHaveProperty("problem.code", "aborted");
    expect(await login.resend()).toHaveProperty("problem.code", "aborted");
    expect(server.requests).toHaveLength(1);
  });
});

describe("of two actions of a kind", () => {
  test("only the newer start counts", async () => {
    const older = login.start({ phone: "1" });
    const newer = login.start({ phone: "2" });
    expect(await older).toHaveProperty("problem.code", "aborted");
    await server.only().answer(codeSent({ transaction: "t2" }));
    await newer;
    expect(login.getSnapshot().state).toMatchObject({ transaction: "t2" });
  });

  test("the same code is sent once", async () => {
    await start();
    const results = [login.confirm("123456"), login.confirm("123456")];
    await server.only().answer(loggedIn);
    expect(await Promise.all(results)).toEqual([{ state: loggedIn }, { state: loggedIn }]);
  });

  test("says whether this browser is remembered only if it is", async () => {
    await start();
    const options: readonly ConfirmOptions[] = [{ remember: true }, { remember: false }];
    for (const [index, each] of options.entries()) void login.confirm(`12345${index}`, each);
    expect(server.open().map(({ members }) => members)).toEqual([
      { code: "123450", transaction: "t1", remember: true },
      { code: "123451", transaction: "t1" },
    ]);
  });

  test("an older confirmation is not aborted, because its answer may bring the session", async () => {
    await start();
    void login.confirm("123456");
    void login.confirm("654321");
    const [older, newer] = server.open();
    await newer?.answer({ code: "no_transaction" }, { status: 400 });
    await older?.answer(loggedIn);
    expect(login.getSnapshot().state).toEqual(loggedIn);
  });

  test("the problem of the older confirmation is not shown", async () => {
    await start();
    const result = login.confirm("123456");
    void login.confirm("654321");
    await server.open()[0]?.answer({ code: "code_rejected", attemptsLeft: 4 }, { status: 400 });
    expect(await result).toHaveProperty("problem.code", "code_rejected");
    expect(login.getSnapshot()).toMatchObject({ problem: undefined, pending: "confirm" });
  });
});

describe("the snapshot", () => {
  test("is the same object until something changes", async () => {
    const before = login.getSnapshot();
    expect(login.getSnapshot()).toBe(before);
    await start();
    const after = login.getSnapshot();
    expect(after).not.toBe(before);
    expect(login.getSnapshot()).toBe(after);
  });

  test("begins with the state that the server has rendered", () => {
    const given = createPhoneLogin({ fetch: server.fetch, state: none as never });
    expect(given.getSnapshot()).toEqual({ state: none, problem: undefined, pending: undefined });
    expect(server.requests).toEqual([]);
  });

  test("names the action that is pending", async () => {
    const changes: unknown[] = [];
    login.subscribe(() => changes.push(login.getSnapshot().pending));
    const result = login.start({ phone: "1" });
    await server.only().answer(none);
    await result;
    expect(changes).toEqual(["start", undefined]);
  });
});

test("the offer is asked for once", async () => {
  const offer = { countries: [], codeLength: 6 };
  const result = login.offer();
  await server.only().answer(offer);
  expect(await result).toEqual({ offer });
  expect(await login.offer()).toEqual({ offer });
  await settled();
  expect(server.requests).toHaveLength(1);
});

test("an offer that was refused is asked for again", async () => {
  const refused = login.offer();
  await server.only().answer({ code: "server_busy" }, { status: 503 });
  expect(await refused).toMatchObject({ problem: { code: "server_busy" } });
  const asked = login.offer();
  await server.only().answer({ countries: [], codeLength: 6 });
  expect(await asked).toEqual({ offer: { countries: [], codeLength: 6 } });
});

test("a code that is being confirmed is sent once, also when an older code is refused meanwhile", async () => {
  await start();
  void login.confirm("111111");
  void login.confirm("222222");
  const [older] = server.open();
  await older?.answer({ code: "code_rejected" }, { status: 400 });
  void login.confirm("222222");
  expect(server.open()).toHaveLength(1);
});

test("the answer to a resend counts, although the state was read after the resend began", async () => {
  await start();
  void login.resend();
  void login.state();
  const [resend, state] = server.open();
  await state?.answer(codeSent({ version: "v2" }));
  await resend?.answer(codeSent({ version: "v3" }));
  expect(login.getSnapshot().state).toMatchObject({ version: "v3" });
});

test("an aborted reading of the state tells no subscriber of a change", async () => {
  const onChange = vi.fn();
  login.subscribe(onChange);
  const abort = new AbortController();
  const read = login.state({ signal: abort.signal });
  abort.abort();
  expect(await read).toMatchObject({ problem: { code: "aborted" } });
  expect(onChange).not.toHaveBeenCalled();
});

test("a subscriber that subscribes anew at each change is told once of each", async () => {
  let told = 0;
  function subscribe(): void {
    const end = login.subscribe(() => {
      told += 1;
      end();
      if (told < 10) subscribe();
    });
  }
  subscribe();
  void login.start({ phone: "01512 3456789" });
  expect(told).toBe(1);
});
