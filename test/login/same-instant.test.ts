import { describe, expect, test } from "vitest";
import { newestCode, setUpLogin } from "../support/login-setup.ts";
import { openPlatforms } from "../support/platforms.ts";

const { everyStore } = await openPlatforms();

describe.each(everyStore(1))("logins of one number at one instant on $name, codes of $owner", (platform) => {
  test("the login that is completed ends the others", async () => {
    const { started, service } = await setUpLogin(platform);
    const other = await started();
    const codeOfOther = newestCode(service);
    const browser = await started();
    const completed = await browser.post("/login/confirm", { code: newestCode(service) });
    const ended = await other.post("/login/confirm", { code: codeOfOther });
    expect([completed.json.status, ended.json.code]).toEqual(["logged_in", "no_transaction"]);
  });
});
