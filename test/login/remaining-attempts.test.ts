import { describe, expect, test } from "vitest";
import { setUpLogin, wrongCode } from "../support/login-setup.ts";
import { openPlatforms } from "../support/platforms.ts";

const { everyStore } = await openPlatforms();

describe.each(everyStore(1))("attempts that are left on $name, codes of $owner", (platform) => {
  test("every refusal says how many are left, and a login without any says zero", async () => {
    const { started, service } = await setUpLogin(platform);
    const browser = await started();
    const answers = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      answers.push((await browser.post("/login/confirm", { code: wrongCode(service) })).json);
    }
    answers.push((await browser.post("/login/resend")).json);

    expect(answers.map(({ code, attemptsLeft }) => [code, attemptsLeft])).toEqual([
      ["code_rejected", 4],
      ["code_rejected", 3],
      ["code_rejected", 2],
      ["code_rejected", 1],
      ["code_rejected", 0],
      ["attempts_exhausted", 0],
      ["attempts_exhausted", 0],
    ]);
  });

  test("an attempt counts for as long as its login lives, however often the code is sent again", async () => {
    const { started, service, clock } = await setUpLogin(platform);
    const browser = await started();
    await browser.post("/login/confirm", { code: wrongCode(service) });
    for (let elapsed = 0; elapsed < 3600; elapsed += 240) {
      await browser.post("/login/resend");
      await clock.advance(239_000);
    }
    expect((await browser.get("/login/state")).json).toMatchObject({ status: "code_sent", attemptsLeft: 4 });
  });
});
