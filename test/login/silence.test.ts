import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { newestCode, password, phone, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { openPlatforms } from "../support/platforms.ts";
import { refusal } from "../support/scripted-service.ts";

const { pairwise, ownTexts } = await openPlatforms();

afterEach(() => void vi.restoreAllMocks());

describe.each([...pairwise, ...ownTexts])("L10: the output of a whole login on $name, codes of $owner", (platform) => {
  test("contains no code, full phone number, key or secret, whatever fails", async () => {
    const output: string[] = [];
    const capture = (text: unknown) => {
      output.push(String(text));
      return true;
    };
    vi.spyOn(process.stdout, "write").mockImplementation(capture);
    vi.spyOn(process.stderr, "write").mockImplementation(capture);
    const failing = { now: true };
    const { started, open, service, events } = await setUpLogin(platform, {
      options: { webhooks: { secret: "whsec_of_the_tests" } },
      login: {
        onLogin: ({ phone: proven }) => {
          if (failing.now) throw new Error("the database is down");
          return `user ${proven.length}`;
        },
      },
    });
    const codes: string[] = [];
    const record = (answer: { text: string; headers: Headers }) =>
      output.push(answer.text, inspect([...answer.headers].filter(([name]) => name !== "set-cookie")));

    service.onCreate = ({ recipient }) => ({
      status: 422,
      body: { error_code: "validation", error_message: `cannot text ${recipient} with key_of_the_tests` },
    });
    record(await open().post("/login/start", { phone }));
    service.onCreate = () => undefined;
    const browser = await started();
    const [right, wrong] = [newestCode(service), wrongCode(service)];
    codes.push(right, wrong);
    record(await browser.get("/login/state"));
    record(await browser.post("/login/confirm", { code: wrong }));
    record(await browser.submit("/login/confirm", { code: wrong, next: "/account" }));
    service.onConfirm = ({ otp_code }) => ({
      ...refusal("verify.invalid_code"),
      body: { message: `${otp_code} is wrong` },
    });
    record(await browser.post("/login/confirm", { code: wrong }));
    service.onConfirm = () => undefined;
    record(await browser.post("/login/confirm", { code: right }));
    failing.now = false;
    record(await browser.post("/login/confirm", { code: right }));
    record(await browser.get("/account"));
    record(await browser.post("/login/logout"));
    record(await open().send("/webhooks", { method: "POST", body: "{}" }));

    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(["login.send_failed", "login.code_sent", "login.unfinished", "login.completed"]),
    );
    const everything = [...output, inspect(events, { depth: null, showHidden: true })].join("\n");
    for (const secret of [...codes, phone, phone.slice(1), "key_of_the_tests", password, "whsec_of_the_tests"]) {
      expect(everything).not.toContain(secret);
    }
  });
});
