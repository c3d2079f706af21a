import { describe, expect, test } from "vitest";
import { type Answer, type Browser, openBrowser, outcomeOf } from "../support/browser.ts";
import type { Deployment } from "../support/deployment.ts";
import { type CallFailure, callFailures, createFailingStore, type FailingStore } from "../support/failing-store.ts";
import { codeOwners, newestCode, otherPhone, phone, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { inMemory, type Platform } from "../support/platforms.ts";
import { setUpRemovals } from "./removal-setup.ts";

/** One call of a request that fails, and where it is tried. */
interface Interruption {
  /** The position of the call among the calls of the request. */
  readonly index: number;
  readonly failure: CallFailure;
  readonly platform: Platform;
}

const cases = callFailures.flatMap((failure) => codeOwners.map(({ owner }) => ({ ...failure, failure, owner })));
const maxCalls = 50;

/**
 * Interrupts a request at its first call, then at its second, and so on up to its last.
 *
 * @param scenario - runs the request in an app of its own, and returns whether a call has failed.
 */
async function interruptEach(
  { failure, owner }: (typeof cases)[number],
  scenario: (given: Interruption) => Promise<boolean>,
): Promise<void> {
  const platform =
    inMemory.find((candidate) => candidate.owner === owner) ?? expect.fail(`No platform has the codes of ${owner}.`);
  for (let index = 0; index < maxCalls; index++) {
    const hasFailed = await scenario({ index, failure, platform }).catch((error: unknown) => {
      throw new Error(`When call ${index} failed on ${platform.name}: ${error}`, { cause: error });
    });
    if (!hasFailed) {
      expect(index).toBeGreaterThan(2);
      return;
    }
  }
  expect.fail("The request has no end.");
}

/** A process releases its lease, unless one of these calls fails. */
const leaseCalls = ["lease transaction", "settle transaction", "lease removal", "settle removal"];

/** Starts an app on a store that fails where a test says. */
async function setUpFailing(platform: Platform, given: Parameters<typeof setUpLogin>[1] = {}) {
  const app = platform.deploy();
  const failing = createFailingStore(app);
  return { app, failing, ...(await setUpLogin(platform, { app, store: failing.store, ...given })) };
}

/** Makes one call of a request fail. Then the store works again, and a lease that was not released has run out. */
async function interrupt(
  { app, failing }: { readonly app: Deployment; readonly failing: FailingStore },
  { index, failure }: Interruption,
  request: () => Promise<Answer>,
): Promise<Answer> {
  failing.failAt(index, failure);
  const answer = await request();
  // Calls that were made at the same time are carried out, although nothing waits for them any more.
  await app.atRest();
  failing.repair();
  if (failure.fatal || leaseCalls.includes(failing.failed ?? "")) await app.passTime(15_000);
  return answer;
}

function expectFailedClosed({ status, json, headers }: Answer): void {
  expect([status, json.code, headers.get("retry-after")]).toEqual([503, "store_unavailable", "1"]);
}

describe("L15, L17: a start sends a code only after its login is stored and counted", () => {
  test.each(cases)("when any call $how, codes of $owner", async (failing) => {
    await interruptEach(failing, async (given) => {
      const login = await setUpFailing(given.platform);
      const { failing: store, service } = login;
      const kept: (string | undefined)[] = [];
      service.onCreate = async () => {
        const written = store.carriedOut.filter(({ what }) => what.startsWith("put")).flatMap(({ keys }) => keys);
        kept.push(...(await store.working.get([...written, ...(written.length < 2 ? ["none"] : [])])));
        return undefined;
      };
      const browser = login.open();
      const answer = await interrupt(login, given, () => browser.post("/login/start", { phone }));
      if (store.failed === undefined) return false;
      expectFailedClosed(answer);
      expect(browser.cookies.size).toBe(0);
      expect(kept).not.toContain(undefined);
      expect(await countOf(store)).toBeGreaterThanOrEqual(service.created.length);

      const again = await login.started();
      const confirmed = await again.post("/login/confirm", { code: newestCode(service) });
      expect(confirmed.json.status).toBe("logged_in");
      return true;
    });
  });
});

/** Returns the highest count of what the first call of a start has counted. */
async function countOf({ carriedOut, working }: FailingStore): Promise<number> {
  const { keys = [] } = carriedOut.find(({ what }) => what.startsWith("increment")) ?? {};
  const counters = await working.increment(keys.map((key) => ({ key, by: 0, ttlSeconds: 1 })));
  return Math.max(0, ...counters.map(({ count }) => count));
}

describe("L1, L2: at most five codes are evaluated when the store fails during a wrong code", () => {
  test.each(cases)("when any call $how, codes of $owner", async (failing) => {
    await interruptEach(failing, async (given) => {
      const login = await setUpFailing(given.platform);
      const { started, service, events, logins } = login;
      const browser = await started();
      const confirm = (code: string) => browser.post("/login/confirm", { code });
      const answer = await interrupt(login, given, () => confirm(wrongCode(service)));
      if (login.failing.failed === undefined) return false;
      expectFailedClosed(answer);
      for (let attempt = 0; attempt < 5; attempt++) await confirm(wrongCode(service));
      const beyond = await confirm(newestCode(service));

      expect(beyond.json.code).toBe("attempts_exhausted");
      expect(service.confirmations.length).toBeLessThanOrEqual(5);
      expect(events.filter(({ type }) => type === "login.code_rejected").length).toBeLessThanOrEqual(5);
      expect(logins).toEqual([]);
      return true;
    });
  });
});

describe("L19, L24: when the store fails during a right code, the request fails closed and the same code logs in once", () => {
  test.each(cases)("when any call $how, codes of $owner", async (failing) => {
    await interruptEach(failing, async (given) => {
      const login = await setUpFailing(given.platform);
      const { started, service, events, logins } = login;
      const browser = await started();
      const code = newestCode(service);
      const confirm = () => browser.post("/login/confirm", { code });
      const interrupted = await interrupt(login, given, confirm);
      if (login.failing.failed === undefined) return false;
      // The limits of sending count the login as confirmed after its last step: it stands without that.
      if (isAfterEnd(login.failing)) {
        expect(interrupted.json.status).toBe("logged_in");
        return true;
      }
      expectFailedClosed(interrupted);
      const guarded = await browser.get("/account");
      const again = await confirm();
      const beyond = await browser.copy().post("/login/confirm", { code });

      expect(guarded.status).toBe(401);
      expect(outcomeOf(again)).toBe(outcomeAfter(login.failing, given.failure));
      expect((await browser.get("/account")).status).toBe(again.status === 200 ? 200 : 401);
      expect(beyond.json.status).not.toBe("logged_in");
      expect(events.filter(({ type }) => type === "login.completed").length).toBeLessThanOrEqual(1);
      // A second call of onLogin has the same loginId, so that the app recognizes it.
      expect(new Set(logins.map(({ loginId }) => loginId)).size).toBeLessThanOrEqual(1);
      return true;
    });
  });
});

/** Tells whether the call that failed came after the login was marked as done. */
function isAfterEnd({ carriedOutBefore }: FailingStore): boolean {
  return carriedOutBefore.some(({ what }) => what === "settle transaction");
}

/** The outcome of the same code after the failure. In two cases a new code is needed. */
function outcomeAfter({ failed }: FailingStore, { carriedOut }: CallFailure): string {
  // The service approves a code once, and its approval was lost.
  if (failed === "put approved" && !carriedOut) return "code_rejected";
  // The login was completed, and the answer was lost.
  if (failed === "settle transaction" && carriedOut) return "no_transaction";
  return "logged_in";
}

describe("L19, L45: when the store fails at the end of a verify, the same code is answered with its proof, once", () => {
  test.each(inMemory)("on $name, codes of $owner", async (platform) => {
    const { app, failing, open, service, events } = await setUpFailing(platform, { account: true });
    const browser = open();
    await browser.post("/verify/start", { phone });
    const code = newestCode(service);
    const confirm = () => browser.post("/verify/confirm", { code });
    for (const last of ["put superseded", "settle transaction"]) {
      failing.failOn(({ what }) => what === last);
      expectFailedClosed(await confirm());
      await app.atRest();
      failing.repair();
      await app.passTime(15_000);
    }
    const [proven, again] = [await confirm(), await confirm()];

    expect([proven.json.status, again.json.code]).toEqual(["verified", "no_transaction"]);
    expect(events.filter(({ type }) => type === "login.completed")).toHaveLength(1);
  });
});

describe("L46: a removal can be repeated when the store fails during it", () => {
  // A removal asks nothing of the owner of the codes.
  test.each(cases.filter(({ owner }) => owner === "the service"))("when any call $how", async (failing) => {
    await interruptEach(failing, async (given) => {
      const {
        failing: store,
        app,
        open,
        service,
        second,
        numbers,
        learned,
        logIn,
      } = await setUpRemovals(given.platform);
      const [own, other, waiting] = [open(), open(), open()];
      await logIn(other, otherPhone);
      await logIn(own);
      await app.clock.advance(1000);
      await waiting.post("/login/start", { phone: otherPhone });
      const code = newestCode(service);
      const remove = (browser: Browser) => browser.post("/link/remove", { phone: otherPhone });
      const interrupted = await interrupt({ app, failing: store }, given, () => remove(own));
      if (store.failed === undefined) return false;
      // Nothing is left to finish if only the last write or the answer was lost.
      const settled = store.carriedOut.filter(({ what }) => what === "settle removal").length;
      const repeated = await remove(openBrowser(second.url, own.cookies));

      if (interrupted.status !== 200 && settled < 2) expect(outcomeOf(repeated)).toBe("logged_in");
      expect(outcomeOf(await remove(own))).toBe("phone_unknown");
      expect([...numbers]).toEqual([phone]);
      expect([(await own.get("/account")).status, (await other.get("/account")).status]).toEqual([200, 401]);
      expect(outcomeOf(await waiting.post("/login/confirm", { code }))).toBe("no_transaction");
      await logIn(other, otherPhone);
      expect(learned.at(-1)).toMatchObject({ knownDevice: false, lastProvenAt: undefined });
      return true;
    });
  });
});
