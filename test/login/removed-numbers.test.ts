import type { LoginOptions } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { outcomeOf } from "../support/browser.ts";
import { host } from "../support/hosts.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import { newestCode, otherPhone, phone, setUpLogin } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";
import { createNumbers, setUpRemovals, user } from "./removal-setup.ts";

const oneDay = 86_400_000;

describe.each(inMemory)("removed numbers on $name, codes of $owner", (platform) => {
  const setUp = (login?: Partial<LoginOptions>) => setUpRemovals(platform, login);

  test("a number is removed, the other sessions of the user end, and its own session stays", async () => {
    const { open, numbers, logIn, events } = await setUp();
    const [own, other] = [open(), open()];
    await logIn(other, otherPhone);
    await logIn(own);
    const { json } = await own.post("/link/remove", { phone: otherPhone });

    expect(json).toMatchObject({ status: "logged_in", userId: user });
    expect([...numbers]).toEqual([phone]);
    expect([(await own.get("/account")).status, (await other.get("/account")).status]).toEqual([200, 401]);
    expect(events.find(({ type }) => type === "login.number_removed")).toMatchObject({ userId: user });
    expect(JSON.stringify(events)).not.toContain(otherPhone);
  });

  test.each([
    ["the last number", phone, 409, "last_way_in"],
    ["a number of somebody else", "+4915123456781", 404, "phone_unknown"],
    ["no number", "none", 400, "phone_invalid"],
  ])("%s is refused, and ends nothing", async (_what, number, status, code) => {
    const { open, service, numbers, logIn, clock } = await setUp();
    const browser = open();
    await logIn(browser);
    numbers.delete(otherPhone);
    await clock.advance(1000);
    const waiting = open();
    await waiting.post("/login/start", { phone: number });
    const refused = await browser.post("/link/remove", { phone: number });

    expect([refused.status, refused.json.code]).toEqual([status, code]);
    if (number !== "none") {
      const confirmed = await waiting.post("/login/confirm", { code: newestCode(service) });
      expect(confirmed.json.status).toBe("logged_in");
    }
  });

  test("a removal needs a session whose proof is not older than 15 minutes", async () => {
    const { open, numbers, logIn, clock } = await setUp();
    const browser = open();
    const anonymous = await browser.post("/link/remove", { phone: otherPhone });
    await logIn(browser);
    await clock.advance(901_000);
    const late = await browser.post("/link/remove", { phone: otherPhone });

    expect([anonymous.json.code, late.json.code]).toEqual(["login_required", "proof_required"]);
    expect(numbers.size).toBe(2);
  });

  test("L46: of two removals of a user at once, on two processes, one at most is asked about a last number", async () => {
    const asking = createBarrier();
    let asked = 0;
    const setup = await setUp({
      onRemove: async (number, context) => {
        asked++;
        await asking.pass();
        return setup.onRemove(number, context);
      },
    });
    const browser = setup.open();
    await setup.logIn(browser);
    const elsewhere = setup.second.open();
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);

    const removing = browser.post("/link/remove", { phone: otherPhone });
    await asking.arrived(1);
    const busy = await elsewhere.post("/link/remove", { phone });
    asking.open();
    const removed = await removing;
    const last = await browser.post("/link/remove", { phone });

    expect([busy.status, busy.json.code]).toEqual([503, "removal_busy"]);
    expect([removed.status, last.json.code, asked, [...setup.numbers]]).toEqual([200, "last_way_in", 2, [phone]]);
  });

  test.each([
    { what: "whose user was found before the removal", heldAt: "onLogin" },
    { what: "whose session is written only after the removal", heldAt: "put session" },
  ])("L46: a login of a removed number $what logs in nobody", async ({ heldAt }) => {
    const held = createBarrier();
    const setup = await setUp();
    const { app, service, onRemove } = setup;
    const store = interceptStore(app.connect(), async ({ what }, ask) => {
      if (what === heldAt) await held.pass();
      return ask();
    });
    const onLogin = async () => {
      if (heldAt === "onLogin") await held.pass();
      return user;
    };
    const slow = await setUpLogin(platform, { app, service, store, account: true, login: { onLogin, onRemove } });
    const [browser, waiting] = [setup.open(), slow.open()];
    await setup.logIn(browser);
    await setup.clock.advance(1000);
    await waiting.post("/login/start", { phone: otherPhone });
    const confirming = waiting.post("/login/confirm", { code: newestCode(service) });
    await held.arrived(1);
    await browser.post("/link/remove", { phone: otherPhone });
    held.open();

    expect((await confirming).json.code).toBe("no_transaction");
    expect([(await waiting.get("/account")).status, (await browser.get("/account")).status]).toEqual([401, 200]);
    expect(await setup.doorcode.session.list(user)).toHaveLength(1);
  });

  test("L46: a login of a removed number that ends before the removal supersedes it loses its session", async () => {
    const superseding = createBarrier();
    const setup = await setUp();
    const { app, service, onRemove } = setup;
    const store = interceptStore(app.connect(), async ({ what }, ask) => {
      if (what === "put superseded") await superseding.pass();
      return ask();
    });
    const slow = await setUpLogin(platform, { app, service, store, account: true, login: { onRemove } });
    const [browser, waiting, elsewhere] = [setup.open(), setup.open(), slow.open()];
    await setup.logIn(browser);
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    await setup.clock.advance(1000);
    await waiting.post("/login/start", { phone: otherPhone });
    const removing = elsewhere.post("/link/remove", { phone: otherPhone });
    await superseding.arrived(1);
    // The app has found the user before it removed the number.
    setup.numbers.add(otherPhone);
    const confirmed = await waiting.post("/login/confirm", { code: newestCode(service) });
    superseding.open();

    expect([confirmed.json.status, (await removing).status]).toEqual(["logged_in", 200]);
    expect([(await waiting.get("/account")).status, (await browser.get("/account")).status]).toEqual([401, 200]);
  });

  test.each([
    { before: "the app is asked", nth: 1, code: "removal_busy", asked: [] },
    { before: "it is finished", nth: 2, code: "removal_unfinished", asked: [otherPhone] },
  ])("a removal that loses its lease before $before is refused", async ({ nth, code, asked }) => {
    const setup = await setUp();
    const { app, service } = setup;
    const entries = app.connect();
    let writes = 0;
    const store = interceptStore(entries, async ({ what, keys: [key = ""] }, ask) => {
      if (what === "settle removal" && ++writes === nth) await entries.put(key, undefined, { ttlSeconds: 1 });
      return ask();
    });
    const removed: string[] = [];
    const onRemove = ({ phone }: { readonly phone: string }) => {
      removed.push(phone);
      return "removed" as const;
    };
    const losing = await setUpLogin(platform, { app, service, store, account: true, login: { onRemove } });
    const browser = losing.open();
    await setup.logIn(browser);
    const { json } = await browser.post("/link/remove", { phone: otherPhone });
    expect([json.code, removed]).toEqual([code, asked]);
  });

  test("a removal is complete when the app has ended all sessions itself", async () => {
    const setup = await setUp({
      onRemove: async (number, context) => {
        await setup.doorcode.session.endAll(user);
        return setup.onRemove(number, context);
      },
    });
    const browser = setup.open();
    await setup.logIn(browser);
    const { status, json } = await browser.post("/link/remove", { phone: otherPhone });
    expect([status, json.status]).toEqual([200, "none"]);
  });

  test("L46: a device that proved a number before its removal stays unknown when the number has a new past", async () => {
    const { open, learned, logIn, clock } = await setUp();
    const [device, browser, next] = [open(), open(), open()];
    await logIn(device, otherPhone);
    await clock.advance(oneDay);
    await logIn(browser);
    await browser.post("/link/remove", { phone: otherPhone });
    await logIn(next, otherPhone);
    await logIn(device, otherPhone);
    expect(learned.at(-1)).toMatchObject({ knownDevice: false, lastProvenAt: expect.any(Number) });
  });

  test("an onRemove that takes longer than ten seconds is given up, and no other removal runs beside it", async () => {
    const asking = createBarrier();
    const setup = await setUp({
      onRemove: async (number, context) => {
        await asking.pass();
        return setup.onRemove(number, context);
      },
    });
    const browser = setup.open();
    await setup.logIn(browser);
    const removing = browser.post("/link/remove", { phone: otherPhone });
    await asking.arrived(1);
    await setup.clock.advance(10_000);
    const unfinished = await removing;
    const busy = await browser.post("/link/remove", { phone });

    expect([unfinished.status, unfinished.json.code]).toEqual([503, "removal_unfinished"]);
    expect(busy.json.code).toBe("removal_busy");
    asking.open();
    await setup.clock.advance(15_000);
    expect((await browser.post("/link/remove", { phone })).json.code).toBe("last_way_in");
  });
});

describe("removals", () => {
  async function setUp(login: Partial<LoginOptions> = {}) {
    const { numbers, onRemove } = createNumbers();
    const account = { onLogin: () => user, onRemove, ...login };
    return { ...(await setUpLogin(host, { account: true, login: account })), numbers };
  }

  test("a form is redirected to the page after it, and a refused one to its own with the problem", async () => {
    const { loggedIn } = await setUp();
    const browser = await loggedIn();
    const answers = [
      await browser.submit("/link/remove", { phone: otherPhone, next: "/numbers" }),
      await browser.submit("/link/remove", { phone, next: "/numbers" }),
    ];
    expect(answers.map(({ status, headers }) => [status, headers.get("location")])).toEqual([
      [303, "/numbers"],
      [303, "/login?problem=last_way_in&next=%2Fnumbers"],
    ]);
  });

  test("a number is removed as it is dialled inside the only country", async () => {
    const { loggedIn, numbers } = await setUp();
    const browser = await loggedIn();
    await browser.post("/link/remove", { phone: "01512 3456780" });
    expect([...numbers]).toEqual([phone]);
  });

  test("a page of another site removes nothing", async () => {
    const { loggedIn, numbers } = await setUp();
    const browser = await loggedIn();
    const foreign = await browser.submit("/link/remove", { phone: otherPhone }, { "sec-fetch-site": "cross-site" });
    expect([foreign.json.code, numbers.size]).toEqual(["foreign_origin", 2]);
  });

  test("there is no removal at other mounts, nor without onRemove", async () => {
    const { loggedIn } = await setUp();
    const browser = await loggedIn();
    const bare = await (await setUpLogin(host, { account: true })).loggedIn();
    const statuses = [
      (await browser.post("/login/remove", { phone })).status,
      (await browser.post("/step-up/remove", { phone })).status,
      (await bare.post("/link/remove", { phone })).status,
    ];
    expect(statuses).toEqual([404, 404, 404]);
  });

  test.each([undefined, true, "yes"])(
    "onRemove returning %j is an error of the app, and frees the lease",
    async (answer) => {
      let answers: readonly unknown[] = [answer, "removed"];
      const { loggedIn, events } = await setUp({
        onRemove: () => {
          const [next, ...rest] = answers;
          answers = rest;
          return next as never;
        },
      });
      const browser = await loggedIn();
      const statuses = [
        (await browser.post("/link/remove", { phone })).status,
        (await browser.post("/link/remove", { phone })).status,
      ];
      expect(statuses).toEqual([500, 200]);
      expect(events.filter(({ type }) => type === "login.number_removed")).toHaveLength(1);
    },
  );

  test("an onRemove that throws is 503, reported with its error, and can be tried again at once", async () => {
    let fails = true;
    const { loggedIn, events } = await setUp({
      onRemove: () => {
        if (fails) throw new Error("the database of numbers");
        return "removed";
      },
    });
    const browser = await loggedIn();
    const failed = await browser.post("/link/remove", { phone });
    fails = false;

    expect([failed.status, failed.json.code]).toEqual([503, "removal_unfinished"]);
    expect(events.find(({ type }) => type === "login.removal_failed")).toMatchObject({
      error: { message: "the database of numbers" },
    });
    expect((await browser.post("/link/remove", { phone })).status).toBe(200);
  });
});

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

  test("L46: a number that another account has by now keeps its past in a process whose clock was set back", async () => {
    const { own, open, app, service, onRemove, logIn, learned } = await setUpUnfinished();
    const next = open();
    await logIn(next, otherPhone);
    const clock = { ...app.clock, now: () => app.clock.now() - 600_000 };
    const late = await setUpLogin(platform, { app: { ...app, clock }, service, account: true, login: { onRemove } });
    const elsewhere = late.open();
    for (const [name, value] of own.cookies) elsewhere.cookies.set(name, value);
    expect((await elsewhere.post("/link/remove", { phone: otherPhone })).status).toBe(200);
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

  test("L46: a removal of another number that stays unfinished too leaves it", async () => {
    const another = "+4915123456781";
    const { own, numbers, failing } = await setUpUnfinished();
    numbers.add(another);
    failing.failOn(({ what }) => what === "put superseded");
    await own.post("/link/remove", { phone: another });
    failing.repair();
    const answers = [];
    for (const number of [otherPhone, another, otherPhone]) {
      answers.push(await own.post("/link/remove", { phone: number }));
    }
    expect(answers.map(outcomeOf)).toEqual(["logged_in", "logged_in", "phone_unknown"]);
  });

  test("the newest twenty besides one are kept, so one of today is not lost among those of strangers' numbers", async () => {
    const { own, numbers, failing } = await setUpUnfinished();
    const numberOf = (index: number) => `+491512345${String(1000 + index)}`;
    failing.failOn(({ what }) => what === "put superseded");
    for (let index = 0; index < 22; index++) {
      numbers.add(numberOf(index));
      await own.post("/link/remove", { phone: numberOf(index) });
    }
    failing.repair();
    const answers = [];
    for (const number of [numberOf(21), numberOf(20), otherPhone]) {
      answers.push(outcomeOf(await own.post("/link/remove", { phone: number })));
    }
    expect(answers).toEqual(["logged_in", "logged_in", "phone_unknown"]);
  });

  test("another user's request for the number finishes nothing", async () => {
    const { open, logIn } = await setUpUnfinished();
    const stranger = open();
    await logIn(stranger, "+4915123456781");
    expect((await stranger.post("/link/remove", { phone: otherPhone })).json.code).toBe("phone_unknown");
  });

  test.each([
    { while: "the app fails", fails: "nothing" },
    { while: "the app and then the store fail", fails: "get session-listed" },
  ])("L46: nobody has a stranger's number forgotten while $while", async (given) => {
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
    setup.failing.failOn(({ what }) => what === given.fails);
    await own.post("/link/remove", { phone: strangers });
    setup.failing.repair();
    await own.post("/link/remove", { phone: strangers });

    expect((await waiting.post("/login/confirm", { code })).json.status).toBe("logged_in");
    await logIn(stranger, strangers);
    expect(learned.at(-1)).toMatchObject({ knownDevice: true, lastProvenAt: expect.any(Number) });
    expect((await stranger.get("/account")).status).toBe(200);
  });
});
