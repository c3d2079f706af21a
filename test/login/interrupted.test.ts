import type { CodeStrategyFactory } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import type { Answer } from "../support/browser.ts";
import type { Deployment } from "../support/deployment.ts";
import { createFragileStore, type Failure, type FragileStore, failures } from "../support/fragile-store.ts";
import { newestCode, phone, setUpLogin, strategies, wrongCode } from "../support/login-bench.ts";
import { type Place, places } from "../support/places.ts";
import { acts } from "./acts.ts";

/** Every call of an act, with every way in which it can go wrong, for both owners of the code. */
function interruptions(act: string) {
  return strategies.flatMap((strategy) => {
    const known = acts.find(({ what }) => what === act || what === `${act} of ${strategy.owner}`);
    if (!known) throw new Error(`No act is named "${act}".`);
    const calls = known.trips.flat().length;
    const indexes = Array.from({ length: calls }, (_, index) => index);
    return indexes.flatMap((index) => failures.map((failure) => ({ ...strategy, ...failure, index, failure })));
  });
}

/** Whoever lives lets go of a transaction, unless the store fails at just that. */
const leases = ["lease transaction", "settle transaction"];

/** An app whose store fails where a test says. */
async function setUpFragile(place: Place, codes: CodeStrategyFactory) {
  const app = place.deploy();
  const fragile = createFragileStore(app);
  return { app, fragile, ...(await setUpLogin(place, { app, codes, store: fragile.store })) };
}

/** Lets a call go wrong while the act runs; afterwards the store is back, and what nobody let go of is free again. */
async function interrupt(
  { app, fragile }: { readonly app: Deployment; readonly fragile: FragileStore },
  { index, failure }: { readonly index: number; readonly failure: Failure },
  act: () => Promise<Answer>,
): Promise<Answer> {
  fragile.failAt(index, failure);
  const answer = await act();
  // What was asked beside it is carried out, though nobody waits for it any more.
  await app.atRest();
  fragile.mend();
  if (failure.fatal || leases.includes(fragile.failed ?? "")) await app.passTime(15_000);
  return answer;
}

function expectFailedClosed({ status, json, headers }: Answer): void {
  expect([status, json.code, headers.get("retry-after")]).toEqual([503, "store_unavailable", "1"]);
}

describe.each(places)("a start that the store interrupts, on $name", (place) => {
  test.each(interruptions("a start"))("L15, L17: call $index $how, when $owner owns the code", async (given) => {
    const bench = await setUpFragile(place, given.codes);
    const { fragile } = bench;
    const kept: (string | undefined)[] = [];
    bench.service.onCreate = async () => {
      const written = fragile.carriedOut.find(({ what }) => what === "put transaction");
      kept.push(...(await fragile.inner.get(written?.keys ?? ["none"])));
      return undefined;
    };
    const browser = bench.open();
    expectFailedClosed(await interrupt(bench, given, () => browser.post("/login/start", { phone })));
    expect(browser.cookies.size).toBe(0);

    const counted = await countOf(fragile, "increment sends");
    expect(kept).not.toContain(undefined);
    expect(bench.service.created.length).toBe(kept.length);
    expect(counted).toBeGreaterThanOrEqual(kept.length);

    const again = await bench.started();
    const confirmed = await again.post("/login/confirm", { code: newestCode(bench.service) });
    expect(confirmed.json.status).toBe("logged_in");
  });
});

async function countOf({ carriedOut, inner }: FragileStore, what: string): Promise<number> {
  const [key = ""] = carriedOut.find((call) => call.what === what)?.keys ?? [];
  const [counter] = await inner.increment([{ key, by: 0, ttlSeconds: 1 }]);
  return counter?.count ?? 0;
}

describe.each(places)("a wrong code that the store interrupts, on $name", (place) => {
  test.each(interruptions("a wrong code"))(
    "L1, L2: call $index $how, when $owner owns the code: no more than five codes are judged",
    async (given) => {
      const bench = await setUpFragile(place, given.codes);
      const { started, service, events, logins } = bench;
      const browser = await started();
      const confirm = (code: string) => browser.post("/login/confirm", { code });
      expectFailedClosed(await interrupt(bench, given, () => confirm(wrongCode(service))));
      for (let attempt = 0; attempt < 5; attempt++) await confirm(wrongCode(service));
      const beyond = await confirm(newestCode(service));

      expect(beyond.json.code).toBe("attempts_exhausted");
      expect(service.confirmations.length).toBeLessThanOrEqual(5);
      expect(events.filter(({ type }) => type === "login.code_rejected").length).toBeLessThanOrEqual(5);
      expect(logins).toEqual([]);
    },
  );
});

describe.each(places)("a right code that the store interrupts, on $name", (place) => {
  test.each(interruptions("a right code"))(
    "L19, L24: call $index $how, when $owner owns the code: the same code logs in, once",
    async (given) => {
      const bench = await setUpFragile(place, given.codes);
      const { started, service, events, logins } = bench;
      const browser = await started();
      const code = newestCode(service);
      const confirm = () => browser.post("/login/confirm", { code });
      expectFailedClosed(await interrupt(bench, given, confirm));
      const guarded = await browser.get("/account");
      const again = await confirm();
      const beyond = await browser.copy().post("/login/confirm", { code });

      expect(guarded.status).toBe(401);
      expect(again.json.code ?? again.json.status).toBe(afterwards(bench.fragile, given.failure));
      expect((await browser.get("/account")).status).toBe(again.status === 200 ? 200 : 401);
      expect(beyond.json.status).not.toBe("logged_in");
      expect(events.filter(({ type }) => type === "login.completed").length).toBeLessThanOrEqual(1);
      // Where the app is asked again, it can tell that it is the same login.
      expect(new Set(logins.map(({ loginId }) => loginId)).size).toBeLessThanOrEqual(1);
    },
  );
});

/** What the same code comes to. Two losses cannot be helped, and cost a new code. */
function afterwards({ failed }: FragileStore, { arrives }: Failure): string {
  // The service approves once, and nobody heard of it.
  if (failed === "put approved" && !arrives) return "code_rejected";
  // The login is done, and nobody heard of it.
  if (failed === "settle transaction" && arrives) return "no_transaction";
  return "logged_in";
}
