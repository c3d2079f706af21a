import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { newestCode, password, phone, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { holdsPhone, spellings } from "../support/phone-spellings.ts";
import { inMemory, ownTexts } from "../support/platforms.ts";
import { refusal } from "../support/scripted-service.ts";

afterEach(() => void vi.restoreAllMocks());

describe.each([...inMemory, ...ownTexts])("L10: the output of a whole login on $name, codes of $owner", (platform) => {
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
    // The digits of a code may occur in an instant.
    for (const code of codes) expect(everything).not.toMatch(new RegExp(`(?<!\\d)${code}(?!\\d)`));
    for (const secret of [phone, phone.slice(1), "key_of_the_tests", password, "whsec_of_the_tests"]) {
      expect(everything).not.toContain(secret);
    }
  });
});

/** Ids of requests that hold the number, as a careless service makes them. */
const careless = [
  ...spellings,
  "req-4915123456789-7",
  "req_0151-2345-6789_7",
  "7f3a.+49.151.23456789",
  "4915123456789:01HZY3T8",
];

/** Beside a request that names the number, its digits are found among letters too. */
const carelessOfSends = [...careless, "req4915123456789x", "a15123456789", "49151-2345-6789-af", "2315123456700001"];

describe.each(inMemory)("L41: an id of a request that holds the number, on $name, codes of $owner", (platform) => {
  test("is in no event, whatever its spelling", async () => {
    const login = await setUpLogin(platform);
    for (const request_id of carelessOfSends) {
      login.service.onCreate = () => ({ status: 422, body: { request_id, message: `see ${request_id}` } });
      expect((await login.open().post("/login/start", { phone })).status).toBe(502);
    }
    login.service.onCreate = () => undefined;
    for (const request_id of platform.owner === "the service" ? careless : []) {
      const browser = await login.started();
      login.service.onConfirm = () => ({ status: 401, body: { request_id, message: `see ${request_id}` } });
      await browser.post("/login/confirm", { code: wrongCode(login.service) });
    }

    const errors = login.events.flatMap((event) => ("error" in event ? [event.error as { requestId?: string }] : []));
    expect(errors.length).toBeGreaterThanOrEqual(careless.length);
    expect(errors.filter(({ requestId }) => requestId !== undefined)).toEqual([]);
    expect(errors.filter((error) => holdsPhone(inspect(error, { showHidden: true })))).toEqual([]);
  });

  test.each([
    "req_1",
    "123e4567-e89b-12d3-a456-426614174000",
    "01HZY3T8Q4X5V6W7B8N9M0K1J2",
    "8427719930551882043",
    "req_91f0c2d28841977e04b5a6d3",
  ])("is published if it holds no number: %s", async (request_id) => {
    const login = await setUpLogin(platform);
    login.service.onCreate = () => ({ status: 422, body: { request_id } });
    await login.open().post("/login/start", { phone });
    expect(login.events).toContainEqual(
      expect.objectContaining({ error: expect.objectContaining({ requestId: request_id }) }),
    );
  });
});
