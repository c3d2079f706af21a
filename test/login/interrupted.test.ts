import { describe, expect, test } from "vitest";
import type { Answer } from "../support/browser.ts";
import type { Deployment } from "../support/deployment.ts";
import { type CallFailure, callFailures, createFailingStore, type FailingStore } from "../support/failing-store.ts";
import { newestCode, phone, setUpLogin, wrongCode } from "../support/login-setup.ts";
import { openPlatforms, type Platform } from "../support/platforms.ts";
import { loginRequests } from "./login-requests.ts";

const { pairwise } = await openPlatforms();

/** One call of a request that fails, and where it is tried. */
interface Interruption {
  /** The position of the call among the calls of the request. */
  readonly index: number;
  readonly failure: CallFailure;
  readonly platform: Platform;
}

/**
 * Lists the calls of a request, each with every way in which it can fail, for both owners of the codes.
 *
 * The stores take turns, so that each call fails on every store and each kind of failure happens on every store.
 */
function interruptions(what: string): Interruption[] {
  const owners = Map.groupBy(pairwise, ({ owner }) => owner);
  return [...owners].flatMap(([owner, platforms]) => {
    const known = loginRequests.find((request) => request.what === what || request.what === `${what} of ${owner}`);
    if (!known) throw new Error(`No request is called "${what}".`);
    return known.trips.flat().flatMap((_call, index) =>
      callFailures.map((failure, turn) => {
        const platform = platforms[(index + turn) % platforms.length];
        if (!platform) throw new Error(`No platform has the codes of ${owner}.`);
        return { index, failure, platform };
      }),
    );
  });
}

/** A process releases the lease of a login, unless one of these calls fails. */
const leaseCalls = ["lease transaction", "settle transaction"];

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
  test.each(interruptions("a start"))(
    "when call $index $failure.how, on $platform.name, codes of $platform.owner",
    async (given) => {
      const login = await setUpFailing(given.platform);
      const { failing } = login;
      const kept: (string | undefined)[] = [];
      login.service.onCreate = async () => {
        const written = failing.carriedOut.find(({ what }) => what === "put transaction");
        kept.push(...(await failing.working.get(written?.keys ?? ["none"])));
        return undefined;
      };
      const browser = login.open();
      expectFailedClosed(await interrupt(login, given, () => browser.post("/login/start", { phone })));
      expect(browser.cookies.size).toBe(0);

      const counted = await countOf(failing, "increment sends-of-day, sends, limits, failures");
      expect(kept).not.toContain(undefined);
      expect(login.service.created.length).toBe(kept.length);
      expect(counted).toBeGreaterThanOrEqual(kept.length);

      const again = await login.started();
      const confirmed = await again.post("/login/confirm", { code: newestCode(login.service) });
      expect(confirmed.json.status).toBe("logged_in");
    },
  );
});

async function countOf({ carriedOut, working }: FailingStore, what: string): Promise<number> {
  const [key = ""] = carriedOut.find((call) => call.what === what)?.keys ?? [];
  const [counter] = await working.increment([{ key, by: 0, ttlSeconds: 1 }]);
  return counter?.count ?? 0;
}

describe("L1, L2: at most five codes are evaluated when the store fails during a wrong code", () => {
  test.each(interruptions("a wrong code"))(
    "when call $index $failure.how, on $platform.name, codes of $platform.owner",
    async (given) => {
      const login = await setUpFailing(given.platform);
      const { started, service, events, logins } = login;
      const browser = await started();
      const confirm = (code: string) => browser.post("/login/confirm", { code });
      expectFailedClosed(await interrupt(login, given, () => confirm(wrongCode(service))));
      for (let attempt = 0; attempt < 5; attempt++) await confirm(wrongCode(service));
      const beyond = await confirm(newestCode(service));

      expect(beyond.json.code).toBe("attempts_exhausted");
      expect(service.confirmations.length).toBeLessThanOrEqual(5);
      expect(events.filter(({ type }) => type === "login.code_rejected").length).toBeLessThanOrEqual(5);
      expect(logins).toEqual([]);
    },
  );
});

describe("L19, L24: when the store fails during a right code, the request fails closed and the same code logs in once", () => {
  test.each(interruptions("a right code"))(
    "when call $index $failure.how, on $platform.name, codes of $platform.owner",
    async (given) => {
      const login = await setUpFailing(given.platform);
      const { started, service, events, logins } = login;
      const browser = await started();
      const code = newestCode(service);
      const confirm = () => browser.post("/login/confirm", { code });
      const interrupted = await interrupt(login, given, confirm);
      // The limits of sending count the login as confirmed after its last step: it stands without that.
      if (login.failing.failed === countsConfirmed) {
        expect(interrupted.json.status).toBe("logged_in");
        return;
      }
      expectFailedClosed(interrupted);
      const guarded = await browser.get("/account");
      const again = await confirm();
      const beyond = await browser.copy().post("/login/confirm", { code });

      expect(guarded.status).toBe(401);
      expect(again.json.code ?? again.json.status).toBe(outcomeOf(login.failing, given.failure));
      expect((await browser.get("/account")).status).toBe(again.status === 200 ? 200 : 401);
      expect(beyond.json.status).not.toBe("logged_in");
      expect(events.filter(({ type }) => type === "login.completed").length).toBeLessThanOrEqual(1);
      // A second call of onLogin has the same loginId, so that the app recognizes it.
      expect(new Set(logins.map(({ loginId }) => loginId)).size).toBeLessThanOrEqual(1);
    },
  );
});

const countsConfirmed = "increment limits, failures-of-address";

/** The outcome of the same code after the failure. In two cases a new code is needed. */
function outcomeOf({ failed }: FailingStore, { carriedOut }: CallFailure): string {
  // The service approves a code once, and its approval was lost.
  if (failed === "put approved" && !carriedOut) return "code_rejected";
  // The login was completed, and the answer was lost.
  if (failed === "settle transaction" && carriedOut) return "no_transaction";
  return "logged_in";
}

describe("L19, L45: when the store fails at the end of a verify, the same code is answered with its proof, once", () => {
  test.each(pairwise)("on $name, codes of $owner", async (platform) => {
    const login = { onLink: () => null, phoneOf: () => null };
    const { app, failing, open, service, events } = await setUpFailing(platform, { account: true, login });
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
