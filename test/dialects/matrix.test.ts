import { appCodes } from "@doorcode/core";
import { createSandbox, dialectChoices, type Sandbox } from "@doorcode/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, openBrowser } from "../support/browser.ts";
import { hosts } from "../support/hosts.ts";
import { phone, setUpDialect } from "./dialect-setup.ts";
import { defaults, everyHost } from "./dialects.ts";
import { type Owner, serviceAttempts, toldByKit } from "./expected-answers.ts";
import { deliveryTold, loginTrack, stepsOf } from "./expected-events.ts";

/** One for all: that no test meets anything of another shows that applications are isolated, in their dialects too. */
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, clock: "frozen" });
});
afterAll(() => sandbox.close());

const owners: readonly Owner[] = ["service", "app"];
const logins = everyHost.flatMap((named) => owners.map((owner) => ({ ...named, owner })));

async function confirm(browser: Browser, code: string): Promise<readonly [status: number, problem: unknown]> {
  const { status, json } = await browser.post("/login/confirm", { code });
  return [status, json.code];
}

describe.each(logins)("a login in $name on $on, its codes owned by the $owner", ({ dialect, host, owner }) => {
  const told = toldByKit(dialect, owner);

  test("a wrong code logs nobody in, the right one does, once", async () => {
    const { started, pass, logins } = await setUpDialect(sandbox, host, dialect, owner);
    const { browser, code, wrongCode } = await started();
    const thief = browser.copy();
    await pass();

    expect(await confirm(browser, wrongCode)).toEqual(told.wrongCode);
    expect([logins, (await browser.get("/account")).status]).toEqual([[], 401]);
    expect(await confirm(browser, code)).toEqual([200, undefined]);
    expect((await browser.get("/account")).json).toEqual({ id: `user of ${phone}` });
    expect(await confirm(thief, code)).toEqual([400, "no_transaction"]);
    expect([logins, (await thief.get("/account")).status]).toEqual([[phone], 401]);
  });

  test("webhooks are handled once and in order, and the login page tells the delivery", async () => {
    const { started, pass, handled, reports, channels, application } = await setUpDialect(
      sandbox,
      host,
      dialect,
      owner,
    );
    const { browser, code } = await started();
    await pass();
    const { json } = await browser.get("/login/state");
    await confirm(browser, code);
    await pass();

    expect(json).toMatchObject({ status: "code_sent", delivery: deliveryTold(dialect, channels) });
    const track = loginTrack(dialect, channels, owner);
    expect(stepsOf(handled)).toEqual(track);
    expect(handled.map(({ kind }) => kind)).toEqual(track.map(() => "verification.update"));
    expect(reports).toEqual(track.map(() => "webhook.handled"));

    for (const { id } of application.deliveries.list()) await application.deliveries.sendAgain(id);
    const again = application.deliveries.list().map(({ attempts }) => attempts.map(({ status }) => status));
    expect(again).toEqual(track.map(() => [204, 204]));
    // Each is older than the last, which alone has the instant that was handled last.
    const stale = track.slice(1).map(() => "webhook.stale");
    expect(reports.slice(track.length)).toEqual([...stale, "webhook.duplicate"]);
    expect(handled).toHaveLength(track.length);
  });

  test("an expired code logs nobody in", async () => {
    const { started, pass, logins } = await setUpDialect(sandbox, host, dialect, owner);
    const { browser, code } = await started();
    await pass("61s");

    expect(await confirm(browser, code)).toEqual(told.expiredCode);
    expect([logins, (await browser.get("/account")).status]).toEqual([[], 401]);
  });

  test("attempts are exhausted, and then the right code logs nobody in", async () => {
    const { started, logins } = await setUpDialect(sandbox, host, dialect, owner);
    const { browser, code, wrongCode } = await started();
    const evaluated = owner === "service" ? serviceAttempts : 5;
    const problems: unknown[] = [];
    while (problems.at(-1) !== "attempts_exhausted" && problems.length < 10) {
      const [, problem] = await confirm(browser, problems.length < evaluated ? wrongCode : code);
      problems.push(problem);
    }

    expect(problems).toEqual(told.exhausting);
    expect([logins, (await browser.get("/account")).status]).toEqual([[], 401]);
  });
});

test.each(dialectChoices.customOtpTemplate)("customOtpTemplate %s: appCodes without a template", async (choice) => {
  for (const host of hosts) {
    const dialect = { ...defaults, customOtpTemplate: choice };
    const { url, application } = await setUpDialect(sandbox, host, dialect, "app", appCodes());
    const { status, json } = await openBrowser(url).post("/login/start", { phone });

    expect([status, json.code]).toEqual(choice === "required" ? [502, "send_failed"] : [200, undefined]);
    expect(application.inbox.list()).toHaveLength(choice === "required" ? 0 : 1);
  }
});

test("the default application, beside all of these, got none of it", () => {
  expect([sandbox.inbox.list(), sandbox.verifications.list(), sandbox.deliveries.list()]).toEqual([[], [], []]);
  expect(sandbox.applications()).toHaveLength(1);
});
