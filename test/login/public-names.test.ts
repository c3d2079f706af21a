import { expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { setUpLogin } from "../support/login-setup.ts";

test.each(hosts)(
  "a page knows a login by a short name that is its own and not part of its cookie, on $name",
  async (host) => {
    const { started } = await setUpLogin(host);
    const browsers = [await started(), await started()];
    const names = [];
    for (const browser of browsers) names.push(String((await browser.get("/login/state")).json.transaction));

    expect(names).toEqual([expect.stringMatching(/^[\w-]{8}$/), expect.stringMatching(/^[\w-]{8}$/)]);
    expect(new Set(names).size).toBe(2);
    const cookies = browsers.flatMap((browser) => [...browser.cookies.values()]);
    for (const name of names) expect(cookies.filter((cookie) => cookie.includes(name))).toEqual([]);
  },
);
