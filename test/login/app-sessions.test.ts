import { createDoorcode, type LoginOptions, providerCodes, serviceCodes } from "@doorcode/core";
import { createLoginGuard, type GuardOptions, mountLogin, type ProvenBy } from "@doorcode/core/adapter";
import { createManualClock } from "@doorcode/core/testing";
import { type FetchSessions, phoneLogin } from "@doorcode/fetch";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { postTo } from "../support/fetch-mount.ts";
import { password } from "../support/login-setup.ts";

const clock = createManualClock();
const service = { baseUrl: "https://service.example", apiKey: "key_123" };
const login: LoginOptions = {
  countries: ["DE"],
  codes: serviceCodes({ template: "login" }),
  onLogin: () => "user_1",
  password,
};
const doorcode = createDoorcode({ clock, name: "app-sessions", service, login });

/** Sessions of an app whose `current` returns this, as a mistake in JavaScript may. */
const sessionsWith = (current: unknown) => ({ start: () => undefined, current: () => current as never, end() {} });
const request = { method: "GET", path: "/account", query: "", headers: { host: "localhost" } };
const namesTheFix = /^session\.current must return/;

/** Tells what a guard decides about a request with such a session: the status of its refusal, or the session. */
async function admit(
  current: unknown,
  options: Pick<GuardOptions, "provenWithinSeconds" | "by"> = {},
): Promise<unknown> {
  const guard = createLoginGuard(doorcode, { session: sessionsWith(current), ...options });
  const result = await guard(request, {});
  return "session" in result ? result.session : result.refusal.status;
}

describe("sessions of an app that return something else than the types say", () => {
  test.each([
    { userId: undefined },
    { userId: null },
    { userId: "" },
    { userId: 7 },
    { id: "user_1" },
    [],
    "user_1",
    true,
  ])("a session without a user's id lets nobody in, and names the fix: %j", async (current) => {
    const mount = mountLogin(doorcode, { session: sessionsWith(current) });
    await expect(admit(current)).rejects.toThrow(namesTheFix);
    await expect(mount.readState(request, {})).rejects.toThrow(namesTheFix);
  });

  test("a session's id that is no text stops a link at its start: no code would finish it", async () => {
    const codes = providerCodes({ send: () => ({ id: "1" }), check: ({ code }) => code === "246810" });
    const callbacks = { onLink: () => "user_1", phoneOf: () => null };
    const kit = createDoorcode({ clock, name: "numbered-sessions", login: { ...login, ...callbacks, codes } });
    const session = sessionsWith({ userId: "user_1", sessionId: 7 });
    const link = phoneLogin(kit, { basePath: "/link", purpose: "link", session });
    await expect(postTo(link, "/link/start", { phone: "+4915123456789" })).rejects.toThrow(namesTheFix);
  });

  test.each([undefined, null, false, ""])("nothing is nobody: %j", async (current) => {
    expect(await admit(current)).toBe(401);
  });

  test.each([
    ["an hour ahead", 3_600_000, 403],
    ["within the limit, by a clock that is ahead", 300_000, "admitted"],
    ["in another unit than milliseconds", clock.now() * 999, 403],
    ["without an end", Number.POSITIVE_INFINITY, 403],
    ["no number", Number.NaN, 403],
  ])("an instant of the last proof that lies in the future is no recent proof: %s", async (_what, ahead, expected) => {
    const session = { userId: "user_1", provenAt: clock.now() + ahead };
    const decided = await admit(session, { provenWithinSeconds: 300 });
    expect(decided).toEqual(expected === "admitted" ? session : expected);
  });
});

const acceptsPasskey: readonly ProvenBy[] = ["passkey"];

test.each([
  ["none", undefined, ["admitted", 403]],
  ["the phone", "phone", ["admitted", 403]],
  ["a passkey", "passkey", [403, "admitted"]],
  ["a name that the kit does not know", "fingerprint", [403, 403]],
])("a proof that names %s is of the phone only if it says so or nothing", async (_what, provenBy, expected) => {
  const session = { userId: "user_1", provenAt: clock.now(), provenBy };
  const options = { provenWithinSeconds: 300 };
  const answers = [await admit(session, options), await admit(session, { ...options, by: acceptsPasskey })];
  expect(answers.map((answer) => (answer === session ? "admitted" : answer))).toEqual(expected);
});

test("a phoneOf that hangs is given up after ten seconds", async () => {
  const asking = createBarrier();
  const phoneOf = asking.hold(undefined);
  const kit = createDoorcode({ clock, name: "hanging-phone-of", service, login: { ...login, phoneOf } });
  const stepUp = phoneLogin(kit, {
    basePath: "/step-up",
    purpose: "step_up",
    session: sessionsWith({ userId: "user_1" }),
  });
  const starting = postTo(stepUp, "/step-up/start", {}).catch((error: unknown) => error);
  await asking.arrived(1);
  await clock.advance(10_000);
  expect(await starting).toMatchObject({ message: "login.phoneOf took longer than 10 seconds." });
  asking.open();
});

test("L19: an onLink that answers after ten seconds ends no session of the app, and the same code finishes the link", async () => {
  const asking = createBarrier();
  const codes = providerCodes({ send: () => ({ id: "1" }), check: ({ code }) => code === "246810" });
  const onLink = asking.hold("user_1");
  const onEvent = () => undefined;
  const kit = createDoorcode({
    clock,
    name: "late-link",
    onEvent,
    login: { ...login, codes, onLink, phoneOf: () => null },
  });
  const started: string[] = [];
  const session = {
    // As with express-session, the session of before ends.
    start: ({ userId }: { userId: string }) => void started.push(userId),
    current: () => (started.length === 0 ? { userId: "user_1" } : undefined),
    end() {},
  };
  const link = phoneLogin(kit, { basePath: "/link", purpose: "link", session });
  const { cookie } = await postTo(link, "/link/start", { phone: "+4915123456789" });
  const confirm = () => postTo(link, "/link/confirm", { code: "246810" }, cookie);
  const late = confirm();
  await asking.arrived(1);
  await clock.advance(10_000);
  expect((await late).json.code).toBe("login_unfinished");
  asking.open();
  await asking.pass();
  expect((await confirm()).json.status).toBe("logged_in");
  expect(started).toEqual(["user_1"]);
});

/** Starts a link in an app with these sessions, and confirms it. */
async function confirmLink(name: string, phone: string, session: FetchSessions, onLink = () => "user_1") {
  const codes = providerCodes({ send: () => ({ id: "1" }), check: ({ code }) => code === "246810" });
  const callbacks = { onLink, phoneOf: () => null };
  const kit = createDoorcode({ clock, name, onEvent: () => undefined, login: { ...login, ...callbacks, codes } });
  const link = phoneLogin(kit, { basePath: "/link", purpose: "link", session });
  const { cookie } = await postTo(link, "/link/start", { phone });
  const { json } = await postTo(link, "/link/confirm", { code: "246810" }, cookie);
  return json.code;
}

test("a link is undone if the browser has a session of another user when session.start has ended", async () => {
  const calls: string[] = [];
  const code = await confirmLink("changed-link", "+4915123456780", {
    start: () => void calls.push("start"),
    // Somebody else has logged in meanwhile, in another tab.
    current: () => ({ userId: calls.length === 0 ? "user_1" : "user_2" }),
    end: () => void calls.push("end"),
  });
  expect([code, calls]).toEqual(["session_changed", ["start", "end"]]);
});

test("a link that is undone says why, also if session.end fails", async () => {
  let hasStarted = false;
  const code = await confirmLink("failing-end", "+4915123456783", {
    start() {
      hasStarted = true;
    },
    current: () => ({ userId: hasStarted ? "user_2" : "user_1" }),
    end: () => Promise.reject(new Error("the sessions are down")),
  });
  expect([code, hasStarted]).toEqual(["session_changed", true]);
});

test("a link starts no session if its user has logged out while onLink was asked", async () => {
  const account = { isLoggedIn: true };
  const calls: string[] = [];
  const session = {
    start: () => void calls.push("start"),
    current: () => (account.isLoggedIn ? { userId: "user_1" } : undefined),
    end: () => void calls.push("end"),
  };
  const code = await confirmLink("left-link", "+4915123456781", session, () => {
    account.isLoggedIn = false;
    return "user_1";
  });
  expect([code, calls]).toEqual(["session_changed", []]);
});

test("a session that session.start brings after ten seconds is ended, and the host waits for that", async () => {
  const starting = createBarrier();
  const codes = providerCodes({ send: () => ({ id: "1" }), check: ({ code }) => code === "246810" });
  const kit = createDoorcode({ clock, name: "late-start", onEvent: () => undefined, login: { ...login, codes } });
  const ended: string[] = [];
  const session = {
    start: starting.hold(undefined),
    current: () => undefined,
    end: () => void ended.push("ended"),
  };
  const mount = phoneLogin(kit, { basePath: "/login", session });
  const handedOver: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => handedOver.push(work);
  const serve = (request: Request) => mount(request, { remoteAddress: "127.0.0.1", waitUntil });
  const { cookie } = await postTo(serve, "/login/start", { phone: "+4915123456782" });
  const confirming = postTo(serve, "/login/confirm", { code: "246810" }, cookie);
  await starting.arrived(1);
  await clock.advance(10_000);
  expect((await confirming).json.code).toBe("login_unfinished");
  starting.open();
  await Promise.all(handedOver);
  expect(ended).toEqual(["ended"]);
});
