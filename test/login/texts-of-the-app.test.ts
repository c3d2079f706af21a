import { appCodes, type BeforeSendContext } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { createFailingStore } from "../support/failing-store.ts";
import { host } from "../support/hosts.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import { appSent, appWorded, type LoginSetup, newestCode, phone, setUpLogin } from "../support/login-setup.ts";
import { inMemory, ownTexts } from "../support/platforms.ts";
import { requestToHost } from "../support/request-to-host.ts";
import { askBlock, deliverMessage, webhookSecret as secret } from "./deliver-verification.ts";

const newestText = ({ service }: LoginSetup) => service.created.at(-1)?.text;

describe("a text of the app", () => {
  test("is sent as one message of its sender, in the words of the app, with the line that browsers read", async () => {
    const codes = appCodes({ sender: "Example", text: { en: "Hi! Example code: {code}. Bye" } });
    const login = await setUpLogin(host, { codes });
    const browser = await login.started();
    const code = newestCode(login.service);
    const channels = [{ channel_name: "SMS", priority: 1 }];

    expect(login.service.created).toEqual([
      {
        id: "msg_1",
        recipient: phone,
        sender: "Example",
        channels,
        custom_otp: code,
        text: `Hi! Example code: ${code}. Bye\n\n@localhost #${code}`,
      },
    ]);
    expect((await browser.post("/login/confirm", { code })).json.status).toBe("logged_in");
  });

  test.each([
    ["by the service", appWorded],
    ["by the app", appSent],
  ])(
    "L12: sent %s is bound to the configured host, whatever host and origin the request names",
    async (_how, owner) => {
      const origins = ["https://www.example.com", "https://app.example.com"];
      const codesOf = (options: object) =>
        owner === appWorded
          ? appCodes({ sender: "Example", ...options })
          : appCodes({ send: ({ text }) => void texts.push(text), ...options });
      const texts: string[] = [];
      const login = await setUpLogin(host, { codes: codesOf({ host: "app.example.com" }), options: { origins } });
      const forged = {
        host: "evil.example",
        origin: "https://www.example.com",
        referer: "https://evil.example/",
        "x-forwarded-host": "evil.example",
        "content-type": "application/json",
      };
      const body = JSON.stringify({ phone, host: "evil.example", language: "en" });
      const answer = await requestToHost(`${login.url}/login/start`, { method: "POST", headers: forged, body });
      texts.push(...login.service.created.map(({ text = "" }) => text));

      expect(answer.status).toBe(200);
      expect(texts).toEqual([expect.stringMatching(/\n@app\.example\.com #\d{6}$/)]);
    },
  );

  test("is in the language of the page, which a resend keeps; any other is no error", async () => {
    const login = await setUpLogin(host, { codes: appWorded.codes });
    const beginnings: (string | undefined)[] = [];
    const start = async (language: unknown) => {
      const browser = login.open();
      const answer = await browser.post("/login/start", { phone, language });
      expect(answer.status).toBe(200);
      beginnings.push(newestText(login)?.slice(0, 4));
      return browser;
    };
    const german = await start("de-AT");
    await german.post("/login/resend", { language: "en" });
    beginnings.push(newestText(login)?.slice(0, 4));
    for (const language of ["DE", "ja", "", "no language", 7, null, `de-x-${"abcdefgh-".repeat(900)}a`])
      await start(language);
    await login.open().submit("/login/start", { phone, language: "de" });
    beginnings.push(newestText(login)?.slice(0, 4));

    const english = Array(6).fill("Your");
    expect(beginnings).toEqual(["Ihr ", "Ihr ", "Ihr ", ...english, "Ihr "]);
  });

  test("has words of its own for adding a number and for proving it again", async () => {
    const login = await setUpLogin(host, { codes: appWorded.codes, account: true });
    const browser = await login.loggedIn();
    const texts = [newestText(login)];
    for (const path of ["/step-up/start", "/link/start"]) {
      await login.clock.advance(1);
      expect((await browser.post(path, { phone: "+4915123456780" })).status).toBe(200);
      texts.push(newestText(login));
    }
    expect(texts.map((text) => text?.split(" is ")[0])).toEqual([
      "Your login code",
      "Your code to confirm your number",
      "Your code to add this number",
    ]);
  });
});

/** Reports on a message, as the service does. */
function report(login: LoginSetup, message_id: string, status: string, second: number, more: object = {}) {
  return deliverMessage(login, { message_id, status, status_updated_at: `2026-09-21T14:13:2${second}Z`, ...more });
}

describe.each(inMemory)("the delivery of a text of the app, on $name", (platform) => {
  const setUp = (login = {}) =>
    setUpLogin(platform, { codes: appWorded.codes, login, options: { webhooks: { secret } } });

  test("L17: is shown to the login, also when its webhook comes before the service's answer", async () => {
    const login = await setUp();
    const early: number[] = [];
    login.service.onCreate = async ({ id }) => {
      early.push(await report(login, id, "SENT", 1));
      return undefined;
    };
    const browser = await login.started();
    const sent = (await browser.get("/login/state")).json.delivery;
    await report(login, "msg_1", "DELIVERED", 2);
    await report(login, "msg_2", "FAILED", 3);
    const delivered = (await browser.get("/login/state")).json.delivery;

    const delivery = (status: string) => ({ status, channel: "SMS", attempts: [{ channel: "SMS", status }] });
    expect([early, sent, delivered]).toEqual([[204], delivery("sent"), delivery("delivered")]);
  });

  const limits = { mode: "enforce", cooldownSeconds: 0 } as const;
  test("L25: only texts that the service could not deliver are no suspicion, each once, whoever they went to", async () => {
    const login = await setUp({ limits });
    expect(await askBlock(login, 0, 4)).toBe(4);
    for (const [index, { recipient }] of login.service.created.entries()) {
      expect(await report(login, `newsletter_${index}`, "FAILED", 1, { recipient })).toBe(204);
    }
    for (const id of ["msg_1", "msg_1", "msg_2", "msg_2"]) expect(await report(login, id, "FAILED", 1)).toBe(204);
    for (const id of ["msg_3", "msg_4"]) expect(await report(login, id, "DELIVERED", 1)).toBe(204);
    expect(await askBlock(login, 4, 14)).toBe(4);
  });
});

test("a page that waits learns of the delivery of a text at once", async () => {
  const login = await setUpLogin(host, { codes: appWorded.codes, options: { webhooks: { secret } } });
  const browser = await login.started();
  const { version } = (await browser.get("/login/state")).json;
  const idle = login.clock.pending;
  const waiting = browser.get(`/login/state?after=${version}&waitSeconds=20`);
  await expect.poll(() => login.clock.pending).toBeGreaterThan(idle);
  await report(login, "msg_1", "DELIVERED", 1);

  expect((await waiting).json).toMatchObject({ status: "code_sent", delivery: { status: "delivered" } });
});

describe.each(ownTexts)("what a text of the app costs, on $name", (platform) => {
  test("L24: a text is delivered and logs in though the store does not remember that it was one", async () => {
    const app = platform.deploy();
    const failing = createFailingStore(app);
    const login = await setUpLogin(platform, { app, store: failing.store });
    failing.failOn(({ what }) => what === "put code");
    const browser = await login.started();
    const resent = await browser.post("/login/resend");

    const code = newestCode(login.service);
    expect(resent.status).toBe(200);
    expect((await browser.post("/login/confirm", { code })).json.status).toBe("logged_in");
  });

  test("L16: a suppressed one, and a resend of it, ask the store for as much as others that were sent", async () => {
    const unknown = "+4915223456789";
    const app = platform.deploy();
    const calls: string[] = [];
    const store = interceptStore(app.connect(), ({ what }, ask) => {
      calls.push(what);
      return ask();
    });
    const suppress = ({ phone: to }: BeforeSendContext) => (to === unknown ? "suppress" : "allow");
    const login = await setUpLogin(platform, { app, store, login: { beforeSend: suppress } });
    const callsFor = async (to: string) => {
      calls.length = 0;
      const browser = login.open();
      expect((await browser.post("/login/start", { phone: to })).status).toBe(200);
      expect((await browser.post("/login/resend")).status).toBe(200);
      return calls.toSorted();
    };
    // A send has taken no time on the clock of the test, so the suppressed one does not wait either.
    expect(await callsFor(phone)).toEqual(await callsFor(unknown));
  });
});
