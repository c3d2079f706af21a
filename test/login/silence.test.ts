import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { newestCode, password, phone, setUpLogin, wrongCode } from "../support/login-bench.ts";
import { refusal } from "../support/scripted-service.ts";
import { cases } from "./cases.ts";

afterEach(() => void vi.restoreAllMocks());

describe.each(cases)("L10: what a whole run says on $place.name, codes owned by $owner", ({ place, codes }) => {
  test("holds no code, no full number, no key and no secret, whatever fails", async () => {
    const spoken: string[] = [];
    const listen = (text: unknown) => {
      spoken.push(String(text));
      return true;
    };
    vi.spyOn(process.stdout, "write").mockImplementation(listen);
    vi.spyOn(process.stderr, "write").mockImplementation(listen);
    const failing = { now: true };
    const { started, open, service, events } = await setUpLogin(place, {
      codes,
      options: { webhooks: { secret: "whsec_of_the_tests" } },
      login: {
        onLogin: ({ phone: proven }) => {
          if (failing.now) throw new Error("the database is down");
          return `user ${proven.length}`;
        },
      },
    });
    const known: string[] = [];
    const hear = (answer: { text: string; headers: Headers }) =>
      spoken.push(answer.text, inspect([...answer.headers].filter(([name]) => name !== "set-cookie")));

    service.onCreate = ({ recipient }) => ({
      status: 422,
      body: { error_code: "validation", error_message: `cannot text ${recipient} with key_of_the_tests` },
    });
    hear(await open().post("/login/start", { phone }));
    service.onCreate = () => undefined;
    const browser = await started();
    const [right, wrong] = [newestCode(service), wrongCode(service)];
    known.push(right, wrong);
    hear(await browser.get("/login/state"));
    hear(await browser.post("/login/confirm", { code: wrong }));
    hear(await browser.submit("/login/confirm", { code: wrong, next: "/account" }));
    service.onConfirm = ({ otp_code }) => ({
      ...refusal("verify.invalid_code"),
      body: { message: `${otp_code} is wrong` },
    });
    hear(await browser.post("/login/confirm", { code: wrong }));
    service.onConfirm = () => undefined;
    hear(await browser.post("/login/confirm", { code: right }));
    failing.now = false;
    hear(await browser.post("/login/confirm", { code: right }));
    hear(await browser.get("/account"));
    hear(await browser.post("/login/logout"));
    hear(await open().send("/webhooks", { method: "POST", body: "{}" }));

    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(["login.send_failed", "login.code_sent", "login.unfinished", "login.completed"]),
    );
    const everything = [...spoken, inspect(events, { depth: null, showHidden: true })].join("\n");
    for (const secret of [...known, phone, phone.slice(1), "key_of_the_tests", password, "whsec_of_the_tests"]) {
      expect(everything).not.toContain(secret);
    }
  });
});
