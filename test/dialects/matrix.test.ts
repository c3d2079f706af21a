import { appCodes } from "@doorcode/core";
import { createSandbox, dialectChoices, type Sandbox } from "@doorcode/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, openBrowser } from "../support/browser.ts";
import { hosts } from "../support/hosts.ts";
import { phone, setUpDialect } from "./dialect-setup.ts";
import { defaults, dialectCases } from "./dialects.ts";
import { expectedAnswers, serviceAttempts } from "./expected-answers.ts";
import { expectedDelivery, loginEvents, stepsOf } from "./expected-events.ts";

/** One sandbox for all tests: each has an application of its own, and no test may see anything of another one. */
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, clock: "frozen" });
});
afterAll(() => sandbox.close());

async function confirm(browser: Browser, code: string): Promise<readonly [status: number, problem: unknown]> {
  const { status, json } = await browser.post("/login/confirm", { code });
  return [status, json.code];
}

describe.each(dialectCases)("a login with $name, on $on, codes of the $owner", ({ dialect, host, owner }) => {
  const expected = expectedAnswers(dialect, owner);

  test("a wrong code is refused, and the right one logs in once", async () => {
    const { started, advance, logins } = await setUpDialect(sandbox, host, dialect, owner);
    const { browser, code, wrongCode } = await started();
    const thief = browser.copy();
    await advance();

    expect(await confirm(browser, wrongCode)).toEqual(expected.wrongCode);
    expect([logins, (await browser.get("/account")).status]).toEqual([[], 401]);
    expect(await confirm(browser, code)).toEqual([200, undefined]);
    expect((await browser.get("/account")).json).toEqual({ id: `user of ${phone}` });
    expect(await confirm(thief, code)).toEqual([400, "no_transaction"]);
    expect([logins, (await thief.get("/account")).status]).toEqual([[phone], 401]);
  });

  test("webhooks are handled once and in order, and the state shows the delivery", async () => {
    const { started, advance, handled, outcomes, channels, application } = await setUpDialect(
      sandbox,
      host,
      dialect,
      owner,
    );
    const { browser, code } = await started();
    await advance();
    const { json } = await browser.get("/login/state");
    await confirm(browser, code);
    await advance();

    expect(json).toMatchObject({ status: "code_sent", delivery: expectedDelivery(dialect, channels) });
    const steps = loginEvents(dialect, channels, owner);
    expect(stepsOf(handled)).toEqual(steps);
    expect(handled.map(({ kind }) => kind)).toEqual(steps.map(() => "verification.update"));
    expect(outcomes).toEqual(steps.map(() => "webhook.handled"));

    for (const { id } of application.deliveries.list()) await application.deliveries.sendAgain(id);
    const again = application.deliveries.list().map(({ attempts }) => attempts.map(({ status }) => status));
    expect(again).toEqual(steps.map(() => [204, 204]));
    // All but the last are older than the event that was handled last.
    const stale = steps.slice(1).map(() => "webhook.stale");
    expect(outcomes.slice(steps.length)).toEqual([...stale, "webhook.duplicate"]);
    expect(handled).toHaveLength(steps.length);
  });

  test("an expired code is refused", async () => {
    const { started, advance, logins } = await setUpDialect(sandbox, host, dialect, owner);
    const { browser, code } = await started();
    await advance("61s");

    expect(await confirm(browser, code)).toEqual(expected.expiredCode);
    expect([logins, (await browser.get("/account")).status]).toEqual([[], 401]);
  });

  test("after the attempts are exhausted, the right code is refused", async () => {
    const { started, logins } = await setUpDialect(sandbox, host, dialect, owner);
    const { browser, code, wrongCode } = await started();
    const evaluated = owner === "service" ? serviceAttempts : 5;
    const problems: unknown[] = [];
    while (problems.at(-1) !== "attempts_exhausted" && problems.length < 10) {
      const [, problem] = await confirm(browser, problems.length < evaluated ? wrongCode : code);
      problems.push(problem);
    }

    expect(problems).toEqual(expected.exhausting);
    expect([logins, (await browser.get("/account")).status]).toEqual([[], 401]);
  });
});

test.each(dialectChoices.customOtpTemplate)(
  "appCodes without a template, with customOtpTemplate %s",
  async (choice) => {
    for (const host of hosts) {
      const dialect = { ...defaults, customOtpTemplate: choice };
      const { url, application } = await setUpDialect(sandbox, host, dialect, "app", appCodes());
      const { status, json } = await openBrowser(url).post("/login/start", { phone });

      expect([status, json.code]).toEqual(choice === "required" ? [502, "send_failed"] : [200, undefined]);
      expect(application.inbox.list()).toHaveLength(choice === "required" ? 0 : 1);
    }
  },
);

test("the default application of the sandbox has received nothing", () => {
  expect([sandbox.inbox.list(), sandbox.verifications.list(), sandbox.deliveries.list()]).toEqual([[], [], []]);
  expect(sandbox.applications()).toHaveLength(1);
});
