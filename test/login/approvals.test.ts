import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import type { Answer } from "../support/browser.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { phone, serviceOwned, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { openPlatforms } from "../support/platforms.ts";

const { pairwise } = await openPlatforms();
const { codes } = serviceOwned;

const codeOf = ({ json }: Answer) => json.code ?? json.status;

describe.each(pairwise)("the approval of a code, on $name", (platform) => {
  test.each([
    { how: "does not arrive", carriedOut: false },
    { how: "loses its answer", carriedOut: true },
  ])("L36: when its write $how, the attempt stays used: five codes are evaluated at most", async ({ carriedOut }) => {
    const app = platform.deploy();
    const failing = createFailingStore(app);
    const { started, service } = await setUpLogin(platform, { app, store: failing.store, codes });
    const browser = await started();
    failing.failOn(({ what }) => what === "put approved", carriedOut);
    const unknown = await browser.post("/login/confirm", { code: service.code });
    await app.atRest();
    failing.repair();
    const { json: state } = await browser.get("/login/state");
    const guesses = [];
    for (let guess = 0; guess < 6; guess++) {
      guesses.push(codeOf(await browser.post("/login/confirm", { code: wrongCode(service) })));
    }

    expect([codeOf(unknown), state.attemptsLeft]).toEqual(["store_unavailable", 4]);
    expect(guesses).toEqual([...Array(4).fill("code_rejected"), "attempts_exhausted", "attempts_exhausted"]);
    // A code that is compared with the approval is not evaluated by the service.
    expect(service.confirmations.length).toBe(carriedOut ? 1 : 5);
  });

  test("L40: after a double click only the approved code is right: a wrong code beside it logs nobody in", async () => {
    let calls = 0;
    const onLogin = () => {
      calls++;
      if (calls === 1) throw new Error("the first finish fails");
      return `user of ${phone}`;
    };
    const { started, service, events } = await setUpLogin(platform, { codes, login: { onLogin } });
    const browser = await started();
    const answered = { right: createBarrier(), wrong: createBarrier() };
    service.onConfirm = async ({ otp_code }) => {
      await (otp_code === service.code ? answered.right : answered.wrong).pass();
      return undefined;
    };
    const thief = browser.copy();
    const right = browser.post("/login/confirm", { code: service.code });
    const wrong = thief.post("/login/confirm", { code: wrongCode(service) });
    await Promise.all([answered.right.arrived(1), answered.wrong.arrived(1)]);
    answered.right.open();
    const unfinished = await right;
    answered.wrong.open();
    const refused = await wrong;
    const again = await browser.post("/login/confirm", { code: service.code });

    expect([codeOf(unfinished), codeOf(refused), codeOf(again)]).toEqual([
      "login_unfinished",
      "code_rejected",
      "logged_in",
    ]);
    expect([calls, (await thief.get("/account")).status]).toEqual([2, 401]);
    expect(events.filter(({ type }) => type === "login.completed")).toHaveLength(1);
  });
});
