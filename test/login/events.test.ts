import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { DoorcodeEvent } from "@doorcode/core";
import { afterEach, expect, test, vi } from "vitest";
import { hosts } from "../support/hosts.ts";
import { setUpLogin } from "../support/login-setup.ts";

afterEach(() => void vi.restoreAllMocks());

test.each(hosts)("publishes the same events to onEvent and to the diagnostics channel, on $name", async (host) => {
  const published: DoorcodeEvent[] = [];
  const listen = (event: unknown) => void published.push(event as DoorcodeEvent);
  subscribe("doorcode", listen);
  const { loggedIn, events } = await setUpLogin(host);
  await loggedIn();
  unsubscribe("doorcode", listen);

  expect(published.map((event) => event.type)).toEqual(["login.send_decided", "login.code_sent", "login.completed"]);
  expect(published).toEqual(events);
});

test.each(
  hosts.flatMap((host) => [
    {
      name: host.name,
      host,
      how: "throws",
      onEvent: () => {
        throw new Error("the log is full");
      },
    },
    { name: host.name, host, how: "rejects", onEvent: () => Promise.reject(new Error("the log is full")) },
  ]),
)("an onEvent that $how changes no login and causes a warning, on $name", async ({ host, onEvent }) => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const { loggedIn } = await setUpLogin(host, { options: { onEvent } });
  const browser = await loggedIn();

  expect((await browser.get("/account")).status).toBe(200);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining("onEvent failed on login.completed"), "DoorcodeWarning");
});

test.each(hosts)("an app without onEvent gets one warning about failures, on $name", async (host) => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const onLogin = () => Promise.reject(new Error("the database is down"));
  const { started, service } = await setUpLogin(host, {
    options: { onEvent: undefined as never },
    login: { onLogin },
  });
  const browser = await started();
  for (let retry = 0; retry < 3; retry++) await browser.post("/login/confirm", { code: service.code });
  expect(warn.mock.calls).toEqual([
    [
      expect.stringContaining("login.unfinished: Error. Pass onEvent"),
      { type: "DoorcodeWarning", detail: expect.stringMatching(/^Error: the database is down\n +at /) },
    ],
  ]);
});
