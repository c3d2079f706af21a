import { describe, expect, test } from "vitest";
import { openBrowser, outcomeOf } from "../support/browser.ts";
import { callFailures } from "../support/failing-store.ts";
import { newestCode, otherPhone, phone } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";
import { setUpRemovals } from "./removal-setup.ts";

/** What a removal asks the store for: first for its own session, last for the state that it answers. */
const removalCalls = [
  "get session, session-generation, session-use",
  "lease removal",
  "settle removal",
  "put superseded",
  "increment limits",
  "get session-generation",
  "increment session-count",
  "get session-listed",
  "get session, session-use",
  "get session, session-generation, session-use",
  "delete session",
  "settle removal",
  "get session, session-generation, session-use",
];

/** Lists the calls of a removal, each with every way in which it can fail. The platforms take turns. */
function interruptedRemovals() {
  return removalCalls.flatMap((call, index) =>
    callFailures.flatMap((failure, turn) => {
      const platform = inMemory[(index + turn) % inMemory.length];
      return platform ? [{ call, index, failure, platform }] : [];
    }),
  );
}

test.each(interruptedRemovals())(
  "L46: a removal can be repeated when call $index, $call, $failure.how, on $platform.name",
  async ({ call, index, failure, platform }) => {
    const { failing, app, open, service, second, numbers, learned, logIn } = await setUpRemovals(platform);
    const [own, other, waiting] = [open(), open(), open()];
    await logIn(other, otherPhone);
    await logIn(own);
    await app.clock.advance(1000);
    await waiting.post("/login/start", { phone: otherPhone });
    const code = newestCode(service);
    failing.failAt(index, failure);
    const interrupted = await own.post("/link/remove", { phone: otherPhone });
    await app.atRest();
    failing.repair();
    if (failure.fatal || call.endsWith("removal")) await app.clock.advance(15_000);
    const repeated = await openBrowser(second.url, own.cookies).post("/link/remove", { phone: otherPhone });

    expect(failing.failed).toBe(call);
    // Nothing is left to finish if only the last write or the answer was lost.
    const isFinished = interrupted.status === 200 || index === 12 || (index === 11 && failure.carriedOut);
    if (!isFinished) expect([repeated.status, repeated.json.status]).toEqual([200, "logged_in"]);
    expect((await own.post("/link/remove", { phone: otherPhone })).json.code).toBe("phone_unknown");
    expect([...numbers]).toEqual([phone]);
    expect([(await own.get("/account")).status, (await other.get("/account")).status]).toEqual([200, 401]);
    expect((await waiting.post("/login/confirm", { code })).json.code).toBe("no_transaction");
    await logIn(other, otherPhone);
    expect(learned.at(-1)).toMatchObject({ knownDevice: false, lastProvenAt: undefined });
  },
);

describe.each(inMemory)("unfinished removals on $name", (platform) => {
  /** Logs a user in whose store fails once the app has removed a number, and tries that. */
  async function setUpUnfinished() {
    const setup = await setUpRemovals(platform);
    const [own, other] = [setup.open(), setup.open()];
    await setup.logIn(other, otherPhone);
    await setup.logIn(own);
    setup.failing.failOn(({ what }) => what === "put superseded");
    const unfinished = await own.post("/link/remove", { phone: otherPhone });
    setup.failing.repair();
    expect([unfinished.json.code, unfinished.headers.get("retry-after")]).toEqual(["removal_unfinished", "1"]);
    return { ...setup, own, other };
  }

  test("L46: a number that another account has by now keeps its logins, its past and its devices", async () => {
    const { own, open, clock, service, logIn, learned } = await setUpUnfinished();
    const [next, waiting] = [open(), open()];
    await clock.advance(1000);
    expect((await logIn(next, otherPhone)).userId).toBe(`user of ${otherPhone}`);
    await clock.advance(1000);
    await waiting.post("/login/start", { phone: otherPhone });
    const code = newestCode(service);
    const repeated = await own.post("/link/remove", { phone: otherPhone });

    expect([repeated.status, (await next.get("/account")).status]).toEqual([200, 200]);
    expect((await waiting.post("/login/confirm", { code })).json.status).toBe("logged_in");
    await logIn(next, otherPhone);
    expect(learned.at(-1)).toMatchObject({ knownDevice: true, lastProvenAt: expect.any(Number) });
  });

  test("a removal of another number that is refused meanwhile leaves it", async () => {
    const { own } = await setUpUnfinished();
    const answers = [
      await own.post("/link/remove", { phone }),
      await own.post("/link/remove", { phone: otherPhone }),
      await own.post("/link/remove", { phone: otherPhone }),
    ];
    expect(answers.map(outcomeOf)).toEqual(["last_way_in", "logged_in", "phone_unknown"]);
  });

  test("another user's request for the number finishes nothing", async () => {
    const { open, logIn } = await setUpUnfinished();
    const stranger = open();
    await logIn(stranger, "+4915123456781");
    expect((await stranger.post("/link/remove", { phone: otherPhone })).json.code).toBe("phone_unknown");
  });

  test("L46: nobody has a stranger's number forgotten while the app fails", async () => {
    const strangers = "+4915123456781";
    let fails = true;
    const setup = await setUpRemovals(platform, {
      onRemove: (number, context) => {
        if (fails) throw new Error("the database of numbers");
        return setup.onRemove(number, context);
      },
    });
    const { open, clock, service, logIn, learned } = setup;
    const [own, stranger, waiting] = [open(), open(), open()];
    await logIn(stranger, strangers);
    await logIn(own);
    await clock.advance(1000);
    await waiting.post("/login/start", { phone: strangers });
    const code = newestCode(service);
    await own.post("/link/remove", { phone: strangers });
    await own.post("/link/remove", { phone: strangers });
    fails = false;
    await own.post("/link/remove", { phone: strangers });

    expect((await waiting.post("/login/confirm", { code })).json.status).toBe("logged_in");
    await logIn(stranger, strangers);
    expect(learned.at(-1)).toMatchObject({ knownDevice: true, lastProvenAt: expect.any(Number) });
    expect((await stranger.get("/account")).status).toBe(200);
  });
});
