import {
  type BeforeSendContext,
  DoorcodeError,
  type DoorcodeEvent,
  isDoorcodeError,
  type LoginOptions,
} from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { outcomeOf } from "../support/browser.ts";
import { deployOn } from "../support/deployment.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { type Host, host } from "../support/hosts.ts";
import { type LoginSetup, newestCode, otherPhone, phone, setUpLogin } from "../support/login-setup.ts";
import { looseLimits as loose } from "../support/loose-limits.ts";
import { inMemory, type Platform } from "../support/platforms.ts";
import { deliverNewest, webhookSecret as secret } from "./deliver-verification.ts";

const mode = "enforce";
const oneCode = { cooldownSeconds: 30, sendsPerPhone: 1, mode } as const;
const solved = "a solved challenge";

const ask = ({ open }: LoginSetup, body: object = { phone }) => open().post("/login/start", body);

/** Starts an app that decides about each code, and notes what it is asked. */
async function setUp(
  host: Host | Platform,
  limits: NonNullable<LoginOptions["limits"]>,
  beforeSend: NonNullable<LoginOptions["beforeSend"]>,
) {
  const asked: BeforeSendContext[] = [];
  const login = await setUpLogin(host, {
    login: {
      limits,
      beforeSend(context) {
        asked.push(context);
        return beforeSend(context);
      },
    },
  });
  return { ...login, asked };
}

const countOf = ({ counters }: BeforeSendContext, of: string) => counters.find(({ limit }) => limit === of)?.count;
const blockOf = (context: BeforeSendContext) => countOf(context, "block");

/** What the limits have decided, as it is published. */
function decisionsOf(events: readonly DoorcodeEvent[]) {
  return events.flatMap((event) => (event.type === "login.send_decided" ? [[event.outcome, event.limit]] : []));
}

/** Asks for codes to six numbers of a block, which nobody enters. A seventh is refused then. */
async function fillBlock(login: LoginSetup): Promise<void> {
  for (let index = 0; index < 6; index++) await ask(login, { phone: `+49151234567${10 + index}` });
}

describe.each(inMemory)("the app's say before each code, on $name, codes of $owner", (platform) => {
  test("is asked for with all that the kit knows, and also for another code", async () => {
    const seen: BeforeSendContext[] = [];
    const login = await setUpLogin(platform, {
      login: { limits: { mode, cooldownSeconds: 0 }, beforeSend: (context) => void seen.push(context) as undefined },
    });
    const browser = await login.started();
    await browser.post("/login/confirm", { code: newestCode(login.service) });
    await browser.post("/login/logout");
    await login.clock.advance(1);
    await browser.post("/login/start", { phone });
    await browser.post("/login/resend", { challenge: solved });

    const first = {
      loginId: expect.any(String),
      purpose: "login",
      userId: undefined,
      phone,
      country: "DE",
      numberType: "MOBILE",
      resend: false,
      channels: ["SMS"],
      client: { address: "127.0.0.1", network: "127.0.0.0/24" },
      knownNumber: false,
      knownDevice: false,
      onAlert: false,
      appOnAlert: false,
      counters: [
        { limit: "number", count: 1, threshold: 10 },
        { limit: "block", count: 1, threshold: 6 },
        { limit: "wide_block", count: 1, threshold: 20 },
        { limit: "address", count: 1, threshold: 20 },
        { limit: "network", count: 1, threshold: 60 },
      ],
      refusedBy: undefined,
      challenge: undefined,
      signals: undefined,
      signal: expect.any(AbortSignal),
    };
    expect(seen[0]).toEqual(first);
    expect(seen[1]).toMatchObject({
      knownDevice: true,
      counters: [{ limit: "number", count: 2, threshold: 10 }, {}, {}, {}, {}],
    });
    const again = { resend: true, knownDevice: true, challenge: solved, refusedBy: undefined };
    expect(seen[2]).toMatchObject({
      ...again,
      counters: [{ limit: "number", count: 3, threshold: 10 }, {}, {}, {}, {}],
    });
    expect(seen).toHaveLength(3);
  });

  test("L15: a challenge and a denial use up nothing of the number and its block, and give nothing back", async () => {
    const login = await setUp(platform, oneCode, ({ challenge }) => {
      if (challenge === undefined) return "challenge";
      return challenge === solved ? "allow" : "deny";
    });
    const refused = [await ask(login), await ask(login, { phone, challenge: "another" }), await ask(login)];
    const sent = await ask(login, { phone, challenge: solved });
    const denied = await ask(login, { phone, challenge: "another" });
    const again = [await ask(login, { phone, challenge: solved }), await ask(login, { phone, challenge: solved })];

    expect([...refused, denied].map(({ status, json }) => [status, json.code])).toEqual([
      [403, "challenge_required"],
      [403, "send_denied"],
      [403, "challenge_required"],
      // The app is not asked about a number that gets no more codes, so no token is spent.
      [429, "send_limit_reached"],
    ]);
    expect([sent, ...again].map(outcomeOf)).toEqual(["code_sent", "send_limit_reached", "send_limit_reached"]);
    expect(sent.json.resendInSeconds).toBe(30);
    expect(login.service.created).toHaveLength(1);
    expect(login.asked.map(blockOf)).toEqual([1, 1, 1, 1]);
  });

  test("L15: a send that certainly failed after a solved challenge returns the budgets of the number and its block", async () => {
    const login = await setUp(platform, oneCode, () => "allow");
    login.service.onCreate = () => ({ status: 422, body: {} });
    const failed = await ask(login, { phone, challenge: solved });
    login.service.onCreate = () => undefined;
    const sent = await ask(login, { phone, challenge: solved });
    expect([failed, sent].map(outcomeOf)).toEqual(["send_failed", "code_sent"]);
    expect(login.asked.map(blockOf)).toEqual([1, 1]);
  });

  test("L15: a resend is challenged, denied and sent as a start is", async () => {
    const limits = { cooldownSeconds: 0, sendsPerPhone: 2 };
    const login = await setUp(platform, limits, ({ resend, challenge }) =>
      !resend || challenge === solved ? "allow" : "challenge",
    );
    const browser = await login.started();
    const resend = async (body: object) => outcomeOf(await browser.post("/login/resend", body));
    const outcomes = [await resend({}), outcomeOf(await browser.get("/login/state"))];
    outcomes.push(await resend({ challenge: solved }), await resend({ challenge: solved }));

    expect(outcomes).toEqual(["challenge_required", "code_sent", "code_sent", "send_limit_reached"]);
    expect(login.service.created).toHaveLength(2);
  });

  test.each(["made up", undefined])(
    "L5: while the app decides about strangers with the token %j, the owner of the number gets a code",
    async (token) => {
      const verifying = createBarrier();
      const login = await setUp(platform, oneCode, ({ challenge }) =>
        challenge === solved ? "allow" : verifying.pass().then(() => "challenge"),
      );
      const strangers = Array.from({ length: 5 }, () => ask(login, { phone, challenge: token }));
      await verifying.arrived(5);
      const owner = await ask(login, { phone, challenge: solved });
      verifying.open();
      const refused = await Promise.all(strangers);

      expect(outcomeOf(owner)).toBe("code_sent");
      expect(refused.map(outcomeOf)).toEqual(Array(5).fill("challenge_required"));
    },
  );

  test("of any number of solved challenges at once one sends a code, and the others use up nothing", async () => {
    const verifying = createBarrier();
    const login = await setUp(platform, oneCode, verifying.hold("allow"));
    const starts = Array.from({ length: 5 }, () => ask(login, { phone, challenge: solved }));
    await verifying.arrived(5);
    verifying.open();
    const outcomes = (await Promise.all(starts)).map(outcomeOf);
    await ask(login, { phone: otherPhone });

    expect(outcomes.toSorted()).toEqual(["code_sent", ...Array(4).fill("send_limit_reached")]);
    expect(login.service.created).toHaveLength(2);
    // The block has the one login that got its code, and the one of the other number.
    expect(login.asked.map(blockOf).at(-1)).toBe(2);
    const decided = decisionsOf(login.events).map(([outcome]) => outcome);
    expect(decided.toSorted()).toEqual(["allowed", "allowed", ...Array(4).fill("refused")]);
  });
});

describe.each(inMemory)("a limit that refuses a code, on $name, codes of $owner", (platform) => {
  test("L25: is passed by an app that trusts a solved challenge, and by no other answer", async () => {
    const login = await setUp(platform, { mode }, ({ challenge }) => {
      if (challenge === solved) return { trust: "allow" };
      return challenge === undefined ? "allow" : "challenge";
    });
    await fillBlock(login);
    const answers = [
      await ask(login),
      await ask(login, { phone, challenge: "made up" }),
      await ask(login, { phone, challenge: solved }),
    ];
    const browser = await login.started({ phone: otherPhone, challenge: solved });
    const confirmed = await browser.post("/login/confirm", { code: newestCode(login.service) });

    expect(answers.map(outcomeOf)).toEqual(["number_range_closed", "challenge_required", "code_sent"]);
    expect(confirmed.json.status).toBe("logged_in");
    const closed = { limit: "block" };
    expect(login.asked.slice(5).map(({ refusedBy }) => refusedBy)).toEqual([
      undefined,
      { limit: "block", count: 7, threshold: 6, counted: "unconfirmed" },
      ...Array(3).fill(closed),
    ]);
    expect(decisionsOf(login.events).slice(6)).toEqual([
      ["refused", "block"],
      ["challenged", "block"],
      ["trusted", "block"],
      ["trusted", "block"],
    ]);
  });

  test.each([
    ["L16: is passed by a code that an app suppresses", { trust: "suppress" }, "code_sent", ["suppressed", "block"]],
    ["is not the reason of the app's own denial", "deny", "send_denied", ["refused", "app"]],
  ] as const)("%s after a solved challenge", async (_what, decision, outcome, published) => {
    const login = await setUp(platform, { mode }, ({ refusedBy }) => (refusedBy ? decision : "allow"));
    await fillBlock(login);
    expect(outcomeOf(await ask(login))).toBe(outcome);
    expect(login.service.created).toHaveLength(6);
    expect(decisionsOf(login.events).at(-1)).toEqual(published);
  });

  test.each(["challenge", "deny"] as const)(
    "L25: is reached by a client that gets the answer %j again and again, and by no number or block of it",
    async (answer) => {
      const login = await setUp(platform, { mode }, () => answer);
      for (let start = 0; start < 21; start++) await ask(login);
      const refusals = login.asked.slice(19).map(({ refusedBy }) => refusedBy);
      expect(refusals).toEqual([undefined, { limit: "address", count: 21, threshold: 20, counted: "unconfirmed" }]);
    },
  );
});

test("L25: a country on alert is challenged where nothing is refused yet", async () => {
  const others = { block: "observe", wide_block: "observe", address: "observe", network: "observe" } as const;
  const login = await setUp(host, { mode: others }, ({ onAlert }) => (onAlert ? "challenge" : "allow"));
  const outcomes = [];
  for (let index = 0; index < 32; index++) {
    outcomes.push(outcomeOf(await ask(login, { phone: `+49151${10 + index}000000` })));
  }
  expect(outcomes.indexOf("challenge_required")).toBe(20);
  expect(login.service.created).toHaveLength(20);
});

test("a known device that is challenged does not count for its address", async () => {
  const login = await setUp(host, loose, ({ knownDevice }) => (knownDevice ? "challenge" : "allow"));
  const browser = await login.loggedIn();
  await browser.post("/login/logout");
  await login.clock.advance(1);
  for (let start = 0; start < 2; start++) await browser.post("/login/start", { phone });
  const counts = login.asked.map((context) => [context.knownDevice, countOf(context, "address")]);
  expect(counts).toEqual([
    [false, 1],
    [true, 1],
    [true, 1],
  ]);
});

describe("beforeSend that fails", () => {
  const failures = {
    throws: () => {
      throw new Error("the score is down");
    },
    "rejects with an error of the kit": () => Promise.reject(new DoorcodeError("cooldown", { retryAfterSeconds: 9 })),
  };

  test.each(Object.entries(failures))("when it %s, refuses the code, and uses up nothing", async (_how, fail) => {
    const app = { isDown: true };
    const login = await setUpLogin(host, {
      login: { limits: oneCode, beforeSend: () => (app.isDown ? fail() : undefined), beforeSendFails: "closed" },
    });
    const refused = await ask(login);
    app.isDown = false;
    const sent = await ask(login);

    expect([refused.status, refused.json.code, refused.headers.get("retry-after")]).toEqual([
      503,
      "send_undecided",
      "5",
    ]);
    expect(outcomeOf(sent)).toBe("code_sent");
    const failure = login.events.find((event) => event.type === "login.before_send_failed");
    // An error of the kit is about another call: the app's own error would have no code.
    expect([failure?.error, isDoorcodeError(failure?.error)]).toEqual([expect.any(Error), false]);
    expect(decisionsOf(login.events)[0]).toEqual(["refused", "app"]);
  });

  test("with beforeSendFails open, sends the code, unless a limit refuses it", async () => {
    const login = await setUpLogin(host, {
      login: { limits: { mode }, beforeSend: failures.throws, beforeSendFails: "open" },
    });
    await fillBlock(login);
    expect(login.service.created).toHaveLength(6);
    expect(outcomeOf(await ask(login))).toBe("number_range_closed");
  });

  test("after three seconds without an answer is given up, and its signal aborts", async () => {
    const asking = createBarrier();
    const signals: AbortSignal[] = [];
    const login = await setUpLogin(host, {
      login: {
        beforeSend({ signal }) {
          signals.push(signal);
          return asking.pass().then(() => "allow");
        },
      },
    });
    const start = ask(login);
    await asking.arrived(1);
    await login.clock.advance(2999);
    expect(signals[0]?.aborted).toBe(false);
    await login.clock.advance(1);
    const refused = await start;
    asking.open();

    expect(outcomeOf(refused)).toBe("send_undecided");
    expect(signals[0]?.aborted).toBe(true);
    expect(login.service.created).toEqual([]);
  });

  test.each(["supress", true, { trust: "deny" }, { trust: true }, 0])(
    "by the answer %j is an error of the app, even when it fails open",
    async (answer) => {
      const login = await setUpLogin(host, {
        login: { limits: oneCode, beforeSend: () => answer as never, beforeSendFails: "open" },
      });
      expect((await ask(login)).status).toBe(500);
      expect(login.service.created).toEqual([]);
      expect(login.events.find(({ type }) => type === "login.before_send_failed")).toMatchObject({
        error: { message: expect.stringContaining("login.beforeSend must return") },
      });
    },
  );
});

describe("an app that promises to suppress no code", () => {
  test("shows the delivery of a code, which it does not without the promise", async () => {
    const shown = await Promise.all(
      [false, true].map(async (suppresses) => {
        const login = await setUpLogin(host, {
          options: { webhooks: { secret } },
          login: { beforeSend: () => "allow", suppresses },
        });
        const browser = await login.started();
        await deliverNewest(login, "SENT");
        return (await browser.get("/login/state")).json.delivery;
      }),
    );
    const attempts = [{ channel: "SMS", status: "sent" }];
    expect(shown).toEqual([{ status: "sent", channel: "SMS", attempts }, null]);
  });

  test.each(["suppress", { trust: "suppress" }] as const)(
    "breaks it by the answer %j: an error of the app",
    async (answer) => {
      const login = await setUpLogin(host, {
        login: { limits: oneCode, beforeSend: () => answer, beforeSendFails: "open", suppresses: false },
      });
      expect((await ask(login)).status).toBe(500);
      expect(login.service.created).toEqual([]);
      expect(login.events.find(({ type }) => type === "login.before_send_failed")).toMatchObject({
        error: { message: expect.stringContaining("suppresses: false") },
      });
    },
  );
});

test("L24: when the store fails after a solved challenge, no code is sent or counted", async () => {
  const app = deployOn(host);
  const failing = createFailingStore(app);
  const blocks: unknown[] = [];
  const beforeSend = (context: BeforeSendContext) => {
    if (blocks.push(blockOf(context)) === 1) failing.failOn(({ what }) => what.startsWith("increment sends-of-day"));
    return "allow" as const;
  };
  const login = await setUpLogin(host, { app, store: failing.store, login: { beforeSend } });
  const failed = await ask(login, { phone, challenge: solved });
  failing.repair();
  await ask(login, { phone: otherPhone });

  expect([failed.status, failed.json.code]).toEqual([503, "store_unavailable"]);
  expect([login.service.created.length, blocks]).toEqual([1, [1, 1]]);
});

test.each([
  ["challenge", "challenge_required"],
  ["deny", "send_denied"],
] as const)(
  "L24: %s is answered as it is, also if the store fails at counting it for the client",
  async (answer, code) => {
    const app = deployOn(host);
    const failing = createFailingStore(app);
    const beforeSend = () => {
      failing.failOn();
      return answer;
    };
    const login = await setUpLogin(host, { app, store: failing.store, login: { beforeSend } });
    expect((await ask(login)).json.code).toBe(code);
    expect(login.service.created).toEqual([]);
  },
);

test("L24: a block that is full refuses a code as such, also if the store fails at closing it", async () => {
  const app = deployOn(host);
  const failing = createFailingStore(app);
  const login = await setUpLogin(host, { app, store: failing.store, login: { limits: { ...loose, mode } } });
  await fillBlock(login);
  failing.failOn(({ what }) => what === "increment limits");
  expect((await ask(login, { phone: "+4915123456799" })).json.code).toBe("number_range_closed");
});
