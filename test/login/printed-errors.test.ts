import { afterEach, describe, expect, test, vi } from "vitest";
import { host } from "../support/hosts.ts";
import { newestCode, setUpLogin } from "../support/login-setup.ts";
import { holdsPhone, spellings } from "../support/phone-spellings.ts";

afterEach(() => void vi.restoreAllMocks());

/** An error as a driver of SQL throws it. Its members repeat the values of the statement. */
function createSqlError(spelling: string): Error {
  const cause = new RangeError(`the shard of ${spelling}\n    at ${spelling} is away`);
  // A stack that was read keeps the message of then.
  expect(cause.stack).toContain(spelling);
  cause.message = `the shard of ${spelling} is away`;
  return Object.assign(new Error(`no user with the phone ${spelling}\n    at (:49151:23456)`, { cause }), {
    name: "DatabaseError",
    code: "23505",
    detail: `Key (phone)=(${spelling}) already exists.`,
    where: `SQL statement with ${spelling}`,
    query: `INSERT INTO users (phone) VALUES ('${spelling}')`,
    parameters: [spelling],
  });
}

/** Collects the kit's warnings as Node prints them. */
function collectWarnings(): () => string {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  return () =>
    warn.mock.calls
      .flatMap(([text, options]) => [String(text), String((options as { detail?: unknown } | undefined)?.detail)])
      .join("\n");
}

describe("L41: the warning about an error of the app", () => {
  test.each(spellings)("shows no number that is written as %s", async (spelling) => {
    const printed = collectWarnings();
    const { started, service } = await setUpLogin(host, {
      options: { onEvent: undefined as never },
      login: { onLogin: () => Promise.reject(createSqlError(spelling)) },
    });
    const browser = await started();
    const answer = await browser.post("/login/confirm", { code: newestCode(service) });

    expect(answer.json.code).toBe("login_unfinished");
    expect(holdsPhone(printed())).toBe(false);
    expect(printed()).not.toContain("INSERT");
    expect(printed()).toContain("login.unfinished: DatabaseError 23505. Pass onEvent");
    expect(printed()).toContain("DatabaseError 23505: no user with the phone ");
    expect(printed()).toMatch(/\n +at createSqlError \(.+printed-errors\.test\.ts:\d+:\d+\)\n/);
    expect(printed()).toContain("[cause] RangeError: the shard of ");
  });

  test("is as careful with an error of onEvent, and shows its stack", async () => {
    const printed = collectWarnings();
    const { loggedIn } = await setUpLogin(host, {
      options: {
        onEvent() {
          throw createSqlError("+49 151 234 567 89");
        },
      },
    });
    await loggedIn();

    expect(printed()).toMatch(/onEvent failed on login\.completed: DatabaseError: no user/);
    expect(printed()).toMatch(/\n +at createSqlError \(.+printed-errors\.test\.ts:\d+:\d+\)\n/);
    expect(printed()).not.toContain("INSERT");
    expect(holdsPhone(printed())).toBe(false);
  });

  test("ends with any value that is thrown", async () => {
    const circular: Error & { cause?: unknown } = new Error("first");
    circular.cause = circular;
    const unreadable = new Proxy(new Error("unreadable"), {
      get() {
        throw new Error("not readable");
      },
    });
    for (const thrown of [undefined, null, "+4915123456789", 4915123456789, ["+4915123456789"], circular, unreadable]) {
      const printed = collectWarnings();
      const { started, service } = await setUpLogin(host, {
        options: { onEvent: undefined as never },
        login: { onLogin: () => Promise.reject(thrown) },
      });
      const browser = await started();
      await browser.post("/login/confirm", { code: newestCode(service) });
      expect(printed()).toContain("login.unfinished: ");
      expect(holdsPhone(printed())).toBe(false);
      vi.restoreAllMocks();
    }
  });
});
