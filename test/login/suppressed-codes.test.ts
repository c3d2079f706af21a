import type { BeforeSendContext } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import type { Answer, Browser } from "../support/browser.ts";
import { host } from "../support/hosts.ts";
import { appOwned, type LoginSetup, newestCode, serviceOwned, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { inMemory, ownTexts } from "../support/platforms.ts";
import { deliverNewest, webhookSecret as secret } from "./deliver-verification.ts";

/** Two numbers that are masked alike. The app knows the first one only. */
const known = "+4915123456789";
const unknown = "+4915223456789";
const suppressUnknown = ({ phone }: BeforeSendContext) => (phone === unknown ? "suppress" : "allow");

/** All that a browser sees of an answer, without what is random in each login and the time of the server. */
function seen({ status, headers, text }: Answer, placeOf: (version: string) => number): unknown {
  const fixed = [...headers]
    .filter(([name]) => name !== "date")
    .map(([name, value]) => [name, name === "retry-after" ? minutes(value) : value])
    .map(([name, value]) => [name, value?.replace(/(-transaction)=[\w-]{22};/, "$1=…;")]);
  return {
    status,
    headers: fixed,
    text: text
      .replace(/"transaction":"[\w-]{8}"/, '"transaction":"…"')
      .replace(/(?<="retryAfterSeconds":)\d+/, minutes)
      .replace(/"number":"[^"]+"/, '"number":"…"')
      .replace(/"version":"([\w-]{16})"/, (_, version) => `"version":"${placeOf(version)}"`),
  };
}

/** In whole minutes: a server's own time goes on between two logins. */
function minutes(seconds: string): string {
  return String(Math.ceil(Number(seconds) / 60));
}

/** A whole login by somebody who does not get the code, and guesses. */
async function guess(login: LoginSetup, phone: string): Promise<unknown[]> {
  const browser = login.open();
  const answers: Answer[] = [await browser.post("/login/start", { phone })];
  if (phone === known) expect(await deliverNewest(login)).toBe(204);
  const code = wrongCode(login.service);
  const steps: ((browser: Browser) => Promise<Answer>)[] = [
    ({ get }) => get("/login/state"),
    ({ post }) => post("/login/confirm", { code }),
    ({ post }) => post("/login/start", { phone }),
    ({ post }) => post("/login/resend", {}),
    ({ post }) => post("/login/confirm", { code }),
    ({ submit }) => submit("/login/confirm", { code }),
    ({ post }) => post("/login/confirm", { code: "12" }),
    ({ get }) => get("/login/state"),
    ({ post }) => post("/login/confirm", { code }),
    ({ post }) => post("/login/confirm", { code }),
    ({ post }) => post("/login/confirm", { code }),
    ({ post }) => post("/login/resend", {}),
    ({ get }) => get("/login/state"),
    ({ post }) => post("/login/start", { phone }),
    ({ post }) => post("/login/cancel", {}),
    ({ post }) => post("/login/start", { phone }),
  ];
  for (const step of steps) answers.push(await step(browser));
  // Versions are random in each login, but they change at the same steps.
  const versions = answers.flatMap(({ json }) => (typeof json.version === "string" ? [json.version] : []));
  return answers.map((answer) => seen(answer, (version) => versions.indexOf(version)));
}

describe.each([...inMemory, ...ownTexts])(
  "a number to which the app suppresses codes, on $name, codes of $owner",
  (platform) => {
    test("L16: cannot be told from another one by any answer to starts, wrong codes, resends and the state", async () => {
      const login = await setUpLogin(platform, {
        options: { webhooks: { secret } },
        login: { limits: { cooldownSeconds: 0, sendsPerPhone: 3 }, beforeSend: suppressUnknown },
      });
      const real = await guess(login, known);
      const [asked, checked] = [login.service.created.length, login.service.confirmations.length];
      const suppressed = await guess(login, unknown);

      expect(suppressed).toEqual(real);
      expect(real.map((answer) => (answer as Answer).status)).toEqual([
        200, 200, 400, 200, 200, 400, 303, 400, 200, 400, 400, 400, 400, 200, 200, 200, 429,
      ]);
      expect([asked, login.service.created.length, login.service.confirmations.length]).toEqual([3, asked, checked]);
    });

    test("L16: no code is right, not even that of a text which came before", async () => {
      const login = await setUpLogin(platform, {
        login: { beforeSend: ({ resend }) => (resend ? "suppress" : "allow") },
      });
      const browser = await login.started();
      // A suppressed code is checked for as long as this one.
      await browser.post("/login/confirm", { code: wrongCode(login.service) });
      await browser.post("/login/resend");
      const answer = await browser.post("/login/confirm", { code: newestCode(login.service) });
      const guessed = await browser.post("/login/confirm", { code: login.service.code });

      expect([answer.json.code, guessed.json.code]).toEqual(
        Array(2).fill(platform.owner === "the app" ? "code_rejected" : "newer_code_sent"),
      );
      expect(login.logins).toEqual([]);
    });

    test("L16: stays without codes for this login when the app allows another one", async () => {
      let asked = 0;
      const login = await setUpLogin(platform, {
        login: { beforeSend: () => (asked++ === 1 ? "suppress" : "allow") },
      });
      await login.started({ phone: known });
      const browser = await login.started({ phone: unknown });
      const resent = await browser.post("/login/resend");
      const other = await login.started({ phone: unknown });
      const confirmed = await other.post("/login/confirm", { code: newestCode(login.service) });

      expect([resent.status, login.service.created.length, confirmed.json.status]).toEqual([200, 2, "logged_in"]);
      expect(login.events.filter(({ type }) => type === "login.code_sent")).toHaveLength(2);
      const decided = login.events.flatMap((event) => (event.type === "login.send_decided" ? [event.outcome] : []));
      expect(decided).toEqual(["allowed", "suppressed", "suppressed", "allowed"]);
    });

    test("L16: a resend that the app allowed at the same moment as it suppressed another one sends nothing", async () => {
      const allowing = createBarrier();
      let resends = 0;
      const login = await setUpLogin(platform, {
        login: {
          async beforeSend({ resend }) {
            if (!resend) return "allow";
            if (resends++ > 0) return "suppress";
            await allowing.pass();
            return null;
          },
        },
      });
      const browser = await login.started();
      const allowed = browser.post("/login/resend");
      await allowing.arrived(1);
      const suppressed = await browser.post("/login/resend");
      allowing.open();

      expect([suppressed.status, (await allowed).status]).toEqual([200, 200]);
      expect(login.service.created).toHaveLength(1);
    });
  },
);

describe.each(inMemory)("a resend that is suppressed, on $name, codes of $owner", (platform) => {
  test("L16: no page that waits can tell it by how often a resend changes the state", async () => {
    const login = await setUpLogin(platform, { login: { beforeSend: suppressUnknown } });
    const sending = createBarrier();
    const browser = await login.started({ phone: known });
    login.service.onCreate = sending.hold(undefined);
    const resending = browser.post("/login/resend");
    await sending.arrived(1);
    const during = await browser.get("/login/state");
    sending.open();
    await resending;
    const after = await browser.get("/login/state");

    // A suppressed resend writes nothing new after its wait either.
    expect(after.json.version).toBe(during.json.version);
  });
});

test("a suppressed code is neither a login that has started nor a text that was sent, for onEvent", async () => {
  const login = await setUpLogin(host, { login: { beforeSend: suppressUnknown } });
  // A suppressed code takes as long as this one.
  await login.started({ phone: known });
  const before = login.events.length;
  const browser = await login.started({ phone: unknown });
  await browser.post("/login/resend");
  const told = login.events.slice(before).map(({ type }) => type);
  expect(told).not.toContain("login.started");
  expect(told).not.toContain("login.code_sent");
});

test("L16: the fixed code of a test number is not right when it is suppressed", async () => {
  const testNumbers = { numbers: { [unknown]: "271828" }, until: "2026-09-22" };
  const options = { codes: appOwned.codes, login: { testNumbers, beforeSend: suppressUnknown } };
  const login = await setUpLogin(host, options);
  await login.started({ phone: known });
  const browser = await login.started({ phone: unknown });
  expect((await browser.post("/login/confirm", { code: "271828" })).json.code).toBe("code_rejected");
});

/** Tells whether a request is answered before the test goes on. */
function watch(answering: Promise<Answer>) {
  const watched = { answering, isAnswered: false };
  void answering.then(() => {
    watched.isAnswered = true;
  });
  return watched;
}

describe("the time of a suppressed code", () => {
  test("L16: is that of a code that the process has sent, and of a wrong code that the service has checked", async () => {
    const login = await setUpLogin(host, { codes: serviceOwned.codes, login: { beforeSend: suppressUnknown } });
    const { service, clock } = login;
    const sending = createBarrier();
    const checking = createBarrier();
    service.onCreate = sending.hold(undefined);
    service.onConfirm = checking.hold(undefined);
    const browser = login.open();
    const started = browser.post("/login/start", { phone: known });
    await sending.arrived(1);
    await clock.advance(800);
    sending.open();
    await started;
    const checked = browser.post("/login/confirm", { code: wrongCode(service) });
    await checking.arrived(1);
    await clock.advance(300);
    checking.open();
    await checked;

    const stranger = login.open();
    for (const [path, body, milliseconds] of [
      ["/login/start", { phone: unknown }, 800],
      ["/login/resend", {}, 800],
      ["/login/confirm", { code: wrongCode(service) }, 300],
    ] as const) {
      const idle = clock.pending;
      const request = watch(stranger.post(path, body));
      await expect.poll(() => clock.pending).toBe(idle + 1);
      await clock.advance(milliseconds - 1);
      expect([path, request.isAnswered]).toEqual([path, false]);
      await clock.advance(1);
      expect((await request.answering).status).toBe(path === "/login/confirm" ? 400 : 200);
    }
    expect([service.created.length, service.confirmations.length]).toEqual([1, 1]);
  });

  test("L16: is not that of a right code, which the service may check for longer", async () => {
    const login = await setUpLogin(host, { codes: serviceOwned.codes, login: { beforeSend: suppressUnknown } });
    const { service, clock } = login;
    const checking = createBarrier();
    service.onConfirm = checking.hold(undefined);
    const [browser, stranger] = [await login.started({ phone: known }), await login.started({ phone: unknown })];
    const confirmed = browser.post("/login/confirm", { code: newestCode(service) });
    await checking.arrived(1);
    await clock.advance(5000);
    checking.open();
    await confirmed;
    const idle = clock.pending;
    const request = watch(stranger.post("/login/confirm", { code: wrongCode(service) }));
    await expect.poll(() => clock.pending).toBe(idle + 1);
    await clock.advance(700);
    expect((await request.answering).json.code).toBe("code_rejected");
  });

  test("L16: of a process that has sent none yet is not zero; a wrong code of the app is checked at once", async () => {
    const login = await setUpLogin(host, { codes: appOwned.codes, login: { beforeSend: suppressUnknown } });
    const browser = login.open();
    const idle = login.clock.pending;
    const request = watch(browser.post("/login/start", { phone: unknown }));
    await expect.poll(() => login.clock.pending).toBe(idle + 1);
    await login.clock.advance(199);
    expect(request.isAnswered).toBe(false);
    await login.clock.advance(501);
    await request.answering;
    expect((await browser.post("/login/confirm", { code: "000000" })).json.code).toBe("code_rejected");
  });
});
