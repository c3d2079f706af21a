import { afterAll, describe, expect, test } from "vitest";
import { openBrowser } from "../support/browser.ts";
import { hosts } from "../support/hosts.ts";
import { newestCode, phone, setUpLogin, wrongCode } from "../support/login-bench.ts";
import { findPostgres, startPglite } from "../support/postgres-server.ts";
import { setUpBench } from "./postgres-bench.ts";

const server = (await findPostgres()) ?? (await startPglite());
afterAll(() => server.close());

describe.each(hosts)(`a login on $name, kept in ${server.name}`, (host) => {
  test("is begun on one process, confirmed once on the other, and ended on both", async () => {
    const { store } = await setUpBench(server.url);
    const shared = { store, options: { name: "cluster" } };
    const [first, second] = [await setUpLogin(host, shared), await setUpLogin(host, shared)];
    second.service.onConfirm = () => ({ status: 200, body: { success: true, message: "" } });
    const begun = await first.started();
    const wrong = await begun.post("/login/confirm", { code: wrongCode(first.service) });
    expect(wrong.json).toMatchObject({ code: "code_rejected", attemptsLeft: 4 });

    const elsewhere = openBrowser(second.url, new Map(begun.cookies));
    const confirmed = await elsewhere.post("/login/confirm", { code: newestCode(first.service) });
    expect(confirmed.json).toMatchObject({ status: "logged_in", userId: `user of ${phone}` });
    expect((await begun.post("/login/confirm", { code: newestCode(first.service) })).json.code).toBe("no_transaction");
    expect([first.logins.length, second.logins.length]).toEqual([0, 1]);
  });
});
