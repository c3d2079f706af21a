import { request } from "node:http";
import { setImmediate } from "node:timers/promises";
import { createDoorcode, createMemoryStore, DoorcodeError } from "@doorcode/core";
import { doorcodeParts } from "@doorcode/core/adapter";
import { createOperations, recordFigures } from "@doorcode/operations";
import { operations as fetchOperations } from "@doorcode/operations/fetch";
import { createSandbox } from "@doorcode/sandbox";
import { describe, expect, onTestFinished, test } from "vitest";
import { createOperatedKit, hosts, type OperatedKit, type OperationsHost, secrets } from "./operations-setup.ts";

const views = [
  "",
  "/limits",
  "/webhooks",
  "/dead-letters",
  `/dead-letters/letter?key=${"a".repeat(64)}`,
  "/store",
  "/users",
  "/activity",
];
const own = { "sec-fetch-site": "same-origin", "x-staff": "ada@example.com" };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Setup extends OperatedKit {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
  readonly url: string;
}

async function setUp(
  host: OperationsHost | undefined,
  options: Parameters<OperationsHost["serve"]>[1] = {},
): Promise<Setup> {
  if (!host) throw new Error("There is no such host.");
  const kit = await createOperatedKit();
  const { url, close } = await host.serve(kit.doorcode, options);
  onTestFinished(close);
  async function send(path: string, init: RequestInit): Promise<Answer> {
    const answer = await fetch(`${url}/operations${path}`, init);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
  return {
    ...kit,
    url,
    get: (path, headers = own) => send(path, { headers }),
    post: (path, fields, headers = own) => send(path, { method: "POST", headers, body: new URLSearchParams(fields) }),
  };
}

const [express] = hosts;
const sure = { sure: "yes" };

describe.each(hosts)("on $name", (host) => {
  test("every view and file is served, cannot be framed, and runs nothing that stands in it", async () => {
    const { get } = await setUp(host);
    for (const path of [...views, "/style.css", "/live.js"]) {
      const { status, headers, text } = await get(path);
      expect(`${path} ${status}`).toBe(`${path} 200`);
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; .*frame-ancestors 'none'$/,
      );
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(text).not.toMatch(/<script>|<style|<[^>]*\s(style|on\w+)=/);
    }
  });

  test("the page answers only GET at a view, and POST at an action", async () => {
    const { get, post } = await setUp(host);
    expect((await post("/limits", sure)).status).toBe(405);
    expect((await get("/dead-letters/replay")).status).toBe(405);
    expect((await get("/other")).status).toBe(404);
  });

  test("an action asks first, names the operator, and changes nothing the second time", async () => {
    const { post, events, inbox } = await setUp(host);
    const key = "a".repeat(64);
    const asked = await post("/dead-letters/replay", { key });
    expect(asked.text).toContain("Replay the event");
    expect(inbox.letters.size).toBe(3);
    await post("/dead-letters/replay", { key, ...sure });
    await post("/dead-letters/replay", { key, ...sure });
    expect(inbox.letters.size).toBe(2);
    const acted = { type: "operator.acted", action: "replay", operator: "ada@example.com", target: key };
    expect(events.filter(({ type }) => type === "operator.acted")).toEqual([
      { ...acted, outcome: "done", text: "1 dead letter was replayed. 1 handled, 0 failed again." },
      { ...acted, outcome: "unchanged", text: "There is no such dead letter: it was replayed or dropped before." },
    ]);
  });

  test("no text of an error of the inbox is answered", async () => {
    const { get, post, inbox } = await setUp(host);
    inbox.deadLetters = () => Promise.reject(new Error(`password hunter2 ${secrets.phone}`));
    inbox.findDeadLetters = inbox.deadLetters as () => Promise<never>;
    const key = "a".repeat(64);
    const asked = await post("/dead-letters/replay", { key });
    expect(asked.status).toBe(503);
    for (const { text } of [asked, await get("/dead-letters"), await post("/dead-letters/replay", { key, ...sure })])
      expect(text).not.toMatch(/hunter2|123456789/);
  });

  test("L47: somebody whom the app does not name is refused", async () => {
    const { get, post, inbox } = await setUp(host);
    expect((await get("", {})).status).toBe(403);
    expect(
      (await post("/dead-letters/drop", { key: "a".repeat(64), ...sure }, { "sec-fetch-site": "same-origin" })).status,
    ).toBe(403);
    expect(inbox.letters.size).toBe(3);
  });

  test.each<Record<string, string>>([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example" },
    { origin: "null" },
    {},
  ])("L47: a POST of another site is refused: %j", async (headers) => {
    const { post, inbox, events } = await setUp(host);
    const answer = await post(
      "/dead-letters/drop",
      { key: "a".repeat(64), ...sure },
      { ...headers, "x-staff": "ada@example.com" },
    );
    expect(answer.status).toBe(403);
    expect(inbox.letters.size).toBe(3);
    expect(events).toEqual([]);
  });

  test("L47: without an operator only this machine is served, and the refusal says what to do", async () => {
    const { get, url } = await setUp(host, { guarded: false });
    expect((await get("", {})).status).toBe(200);
    const { status, text } = await get("/limits", { "x-forwarded-for": "127.0.0.1" });
    expect(status).toBe(403);
    expect(text).toContain("operator: (req)");
    expect(await statusFor(url, "app.example.com")).toBe(403);
  });

  test("a host that is not the app's is refused, also to an operator", async () => {
    const { url } = await setUp(host);
    expect(await statusFor(url, "127.0.0.1", own)).toBe(200);
    expect(await statusFor(url, "app.example.com", own)).toBe(403);
  });
});

test("without an operator nobody is served once the app has an origin on another machine", async () => {
  const kit = await createOperatedKit({ origins: ["https://app.example.com"] });
  const host = await express?.serve(kit.doorcode, { guarded: false });
  if (host) onTestFinished(host.close);
  // A proxy that sets no header, and a tunnel, look like this.
  expect(await statusFor(host?.url ?? "", "127.0.0.1")).toBe(403);
});

const page = { method: "GET", path: "/users", basePath: "", query: "", headers: { host: "localhost" } };

test.each([{ isEscaped: true, toString: () => "<script>" }, true, 42])(
  "an operator who is no text is an error: %s",
  async (operator) => {
    const { doorcode } = await createOperatedKit();
    const { handle } = createOperations(doorcode, { operator: () => operator as never });
    await expect(handle(page as never, {})).rejects.toThrow("operations: operator:");
  },
);

/** Asks with a host that leads to this machine, as a site with its own DNS does. */
function statusFor(url: string, host: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/operations/limits`, { headers: { ...headers, host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

test("L47: no view and no question shows a number, a code, an address or a secret, and no text becomes markup", async () => {
  const { get, post, publish, closeAddress, doorcode } = await setUp(express);
  await closeAddress();
  const hostile = `<script>alert(1)</script> ${secrets.phone} ${secrets.code}`;
  publish({
    type: "webhook.failed",
    kind: hostile,
    key: "a".repeat(64),
    durationSeconds: 1,
    error: new Error(hostile),
  });
  publish({ type: "store.failed", error: Object.assign(new Error(hostile), { code: hostile }) });
  publish({
    type: "operator.acted",
    action: "end_sessions",
    operator: hostile,
    target: secrets.phone,
    outcome: "done",
    text: "1 session ended.",
  });
  publish({ type: "login.code_undelivered", country: "<b>", channel: hostile });
  await recordFigures(doorcode).flush();
  const limits = (await get("/limits")).text;
  expect(limits).toContain("203.0.113.…");
  const [, group = ""] = /name="group" value="([^"]+)"/.exec(limits) ?? [];
  const pages = [
    ...(await Promise.all(
      [...views, `?country=${encodeURIComponent(hostile)}`, "?period=week", "?period=month"].map((path) => get(path)),
    )),
    await get("", { ...own, "x-staff": secrets.phone }),
    await post("/limits/open", { group }),
    await post("/dead-letters/drop", { key: "a".repeat(64) }),
    await post("/users/end-sessions", { user: secrets.phone }),
    await post("/users/end-sessions", { user: secrets.phone, ...sure }),
  ];
  for (const { text, status } of pages) {
    expect(status).toBe(200);
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/<script>|<img|<b>/);
  }
});

test("a text that is no key, or the id of no user with a session, is repeated on no page and in no event", async () => {
  const { get, post, events, doorcode } = await setUp(express);
  const asked = await post("/dead-letters/replay", { key: secrets.phone });
  expect(asked.text).toContain("no key");
  await post("/dead-letters/replay", { key: secrets.phone, ...sure });
  await post("/users/end-sessions", { user: secrets.phone, ...sure });
  await recordFigures(doorcode).flush();
  expect(JSON.stringify(events)).not.toContain(secrets.phone);
  expect((await get("")).text).not.toContain(secrets.phone);
});

test("a body of many levels becomes no page of megabytes", async () => {
  const { get, inbox } = await setUp(express);
  const [letter] = inbox.letters.values();
  if (letter) inbox.letters.set(letter.key, { ...letter, body: "[".repeat(1000) + "]".repeat(1000) });
  expect((await get(`/dead-letters/letter?key=${letter?.key}`)).text.length).toBeLessThan(20_000);
});

describe("an action that is done twice", () => {
  test("opens a closed address once", async () => {
    const { get, post, closeAddress, doorcode } = await setUp(express);
    await closeAddress();
    const [, group = ""] = /name="group" value="([^"]+)"/.exec((await get("/limits")).text) ?? [];
    expect((await post("/limits/open", { group, ...sure })).text).toContain("Done.");
    expect(await doorcode.limits.state()).toEqual([]);
    expect((await post("/limits/open", { group, ...sure })).text).toContain("Unchanged.");
  });

  test("changes a ceiling until a time, and back", async () => {
    const { post, doorcode } = await setUp(express);
    const change = { kind: "cost_per_day", value: "20", seconds: "3600" };
    expect((await post("/limits/ceiling", change)).text).toContain("20.00 instead of 50.00");
    expect((await post("/limits/ceiling", { ...change, ...sure })).text).toContain("Done.");
    expect((await post("/limits/ceiling", { ...change, ...sure })).text).toContain("Unchanged.");
    expect(await doorcode.limits.ceilings()).toContainEqual(
      expect.objectContaining({ kind: "cost_per_day", current: 20 }),
    );
    expect((await post("/limits/ceiling", { ...change, value: "", ...sure })).text).toContain("Done.");
    expect((await post("/limits/ceiling", { ...change, value: "", ...sure })).text).toContain("Unchanged.");
  });

  test.each([
    { kind: "cost_per_day", value: "-1", seconds: "3600" },
    { kind: "sends_per_day", value: "1.5", seconds: "3600" },
    { kind: "sends_per_day", value: "10", seconds: "59" },
    { kind: "sends_per_day", value: "10", seconds: "604801" },
    { kind: "sends_per_hour", value: "10", seconds: "3600" },
    { kind: "__proto__", value: "10", seconds: "3600" },
  ])("refuses a wrong ceiling %j", async (change) => {
    const { post, events } = await setUp(express);
    expect((await post("/limits/ceiling", { ...change, ...sure })).text).toContain("Failed.");
    expect(events).toMatchObject([{ type: "operator.acted", outcome: "failed" }]);
  });

  test.each(["60", "604800"])("changes a ceiling for a minute up to a week: %s seconds", async (seconds) => {
    const { post, doorcode } = await setUp(express);
    const change = { kind: "sends_per_day", value: "10", seconds };
    expect((await post("/limits/ceiling", { ...change, ...sure })).text).toContain("Done.");
    expect(await doorcode.limits.ceilings()).toContainEqual(
      expect.objectContaining({ kind: "sends_per_day", current: 10, changedForSeconds: Number(seconds) }),
    );
  });

  test("goes back to the configured ceiling with the button of its row", async () => {
    const { get, post, doorcode } = await setUp(express);
    expect((await get("/limits")).text).not.toContain("Back to 50.00");
    await doorcode.limits.changeCeiling("cost_per_day", 20, { forSeconds: 3600 });
    const [button = ""] = /<form(?:(?!<\/form>).)*Back to 50.00/s.exec((await get("/limits")).text) ?? [];
    const fields = Object.fromEntries(
      [...button.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
    );
    expect((await post("/limits/ceiling", { ...fields, ...sure })).text).toContain("at the configured 50.00 again");
    expect((await post("/limits/ceiling", { ...fields, ...sure })).text).toContain("Unchanged.");
  });

  test("replays and drops all dead letters of one error, the oldest first", async () => {
    const { get, post, inbox } = await setUp(express);
    const replayed: string[] = [];
    const { handle } = inbox;
    inbox.handle = (key) => {
      replayed.push(key);
      handle(key);
    };
    const [, error = ""] = /name="error" value="([^"]+)"/.exec((await get("/dead-letters")).text) ?? [];
    const others = [...(await get("/dead-letters")).text.matchAll(/name="error" value="([^"]+)"/g)].map(
      ([, each]) => each,
    );
    const twice = others.find((each) => each !== error) ?? "";
    expect((await get("/dead-letters")).text).toContain("1 dead letter, the newest");
    expect((await post("/dead-letters/replay", { error: twice, ...sure })).text).toContain(
      "2 dead letters were replayed",
    );
    expect(replayed).toEqual(["a", "b"].map((letter) => letter.repeat(64)));
    expect((await post("/dead-letters/replay", { error: twice, ...sure })).text).toContain("Unchanged.");
    expect((await post("/dead-letters/drop", { error, ...sure })).text).toContain("1 dead letter was dropped");
    expect((await post("/dead-letters/drop", { error, ...sure })).text).toContain("Unchanged.");
    expect(inbox.letters.size).toBe(0);
  });

  test("replays the oldest of thousands of dead letters first, and finds each by its key", async () => {
    const { get, post, inbox } = await setUp(express);
    const keys = Array.from({ length: 1200 }, (_, index) => String(index).padStart(64, "0"));
    const [letter] = inbox.letters.values();
    for (const key of keys) if (letter) inbox.letters.set(key, { ...letter, key });
    const [oldest = ""] = keys;
    expect((await get(`/dead-letters/letter?key=${oldest}`)).text).toContain("Replay …");
    expect((await post("/dead-letters/replay", { key: oldest, ...sure })).text).toContain("1 dead letter was replayed");
    const { text } = await get("/dead-letters");
    expect(text).toContain("Only the newest 500 are counted and listed here.");
    const [, error = ""] = /name="error" value="([^"]+)"/.exec(text) ?? [];
    expect((await post("/dead-letters/replay", { error, ...sure })).text).toContain("500 dead letters were replayed");
    expect([...inbox.letters.keys()].slice(0, 2)).toEqual(["c".repeat(64), keys[499]]);
  });

  test("reads no more dead letters for a view, or for the action on one, when there are thousands", async () => {
    const { get, post, inbox, publish, doorcode } = await setUp(express);
    const [letter] = inbox.letters.values();
    const keys = Array.from({ length: 5000 }, (_, index) => String(index).padStart(64, "0"));
    for (const key of keys) if (letter) inbox.letters.set(key, { ...letter, key });
    const [oldest = ""] = keys;
    const error = new Error("no luck");
    publish({ type: "webhook.failed", key: oldest, kind: "verification.update", durationSeconds: 1, error });
    publish({ type: "webhook.dead_lettered", key: oldest, kind: "verification.update" });
    await recordFigures(doorcode).flush();
    const readBy = async (answering: Promise<Answer>) => {
      const before = inbox.returned;
      expect((await answering).status).toBe(200);
      return inbox.returned - before;
    };
    const reads: Record<string, number> = {};
    for (const path of views) reads[path] = await readBy(get(path));
    // The list has an end, and the event that failed is looked for by its key.
    const shown = { "/dead-letters": 500, [`/dead-letters/letter?key=${"a".repeat(64)}`]: 1, "/webhooks": 1 };
    expect(reads).toEqual({ ...Object.fromEntries(views.map((path) => [path, 0])), ...shown });
    expect(await readBy(post("/dead-letters/replay", { key: oldest }))).toBe(1);
    expect(await readBy(post("/dead-letters/drop", { key: oldest, ...sure }))).toBe(1);
    expect(inbox.letters.has(oldest)).toBe(false);
  });

  test("ends the sessions of a user", async () => {
    const { post, doorcode } = await setUp(express);
    await doorcode.session.start({ userId: "user_7" });
    expect((await post("/users/end-sessions", { user: "user_7" })).text).toContain("tick the box");
    expect(await doorcode.session.list("user_7")).toHaveLength(1);
    expect((await post("/users/end-sessions", { user: "user_7", ...sure })).text).toContain("1 session ended");
    expect(await doorcode.session.list("user_7")).toEqual([]);
    const again = (await post("/users/end-sessions", { user: "user_7", ...sure })).text;
    expect(again).toContain("Unchanged.");
    expect(again).toContain('class="notice caution"');
  });

  test("runs the endpoint check as often as it is asked for", async () => {
    const finding = { level: "problem", text: "No answer.", fix: "Start the app." } as const;
    const { post } = await setUp(express, { checkEndpoint: async () => [finding] });
    for (const _time of [1, 2]) expect((await post("/webhooks/check", sure)).text).toContain("Start the app.");
  });

  test("fails without an outcome of its own, says so, and publishes the error", async () => {
    const error = new Error(`no ${secrets.phone}`);
    const { post, events } = await setUp(express, { checkEndpoint: () => Promise.reject(error) });
    const { text } = await post("/webhooks/check", sure);
    expect(text).toContain("Failed.");
    expect(text).not.toContain(secrets.phone);
    expect(events).toMatchObject([{ type: "operator.acted", outcome: "failed", error }]);
  });
});

const named = {
  loginId: "login",
  phone: "+48 ••• 89",
  phoneFingerprint: "f",
  purpose: "login",
  country: "PL",
  durationSeconds: 0.1,
} as const;
const sent = { ...named, type: "login.code_sent", channel: "SMS" } as const;
const refused = {
  type: "login.refused",
  code: "number_range_closed",
  step: "start",
  purpose: "login",
  country: "PL",
  durationSeconds: 0,
} as const;

test("the overview says how many got no code, why, and from when until when", async () => {
  const { get, publish, clock, doorcode } = await setUp(express);
  publish(sent);
  publish({ ...sent, country: "DE" });
  publish(refused);
  await clock.advance(60_000);
  publish(refused);
  publish({ ...refused, step: "confirm", code: "no_transaction" });
  await recordFigures(doorcode).flush();
  await clock.advance(120_000);
  expect(textOf((await get("")).text)).toContain(
    "4 requests for a code: 0 confirmed (0%), 2 still open, 0 not confirmed, 2 got no code. Why?",
  );
  const ofPoland = textOf((await get("?country=PL")).text);
  expect(ofPoland).toContain(
    "3 requests for a code: 0 confirmed (0%), 1 still open, 0 not confirmed, 2 got no code. Why?",
  );
  expect(ofPoland).toContain("Block of numbers closed number_range_closed 2 14:13:20 to 14:14:20 (2), 2 min ago");
  expect(textOf((await get("?country=DE")).text)).toContain(
    "1 request for a code: 0 confirmed (0%), 1 still open, 0 not confirmed, 0 got no code. Requests for a code 1",
  );
});

test("a code that can be confirmed yet is still open, and costs nothing before it has expired", async () => {
  const { get, publish, clock, doorcode } = await setUp(express);
  publish(sent);
  publish(sent);
  publish({ ...named, type: "login.completed", channel: "SMS", sinceCodeSeconds: 1, completedAt: 0 });
  await recordFigures(doorcode).flush();
  const rowOfPoland = async () =>
    /Poland (\d+) (\d+) (\d+) ([\d.]+)/.exec(textOf((await get("/limits")).text))?.slice(1);
  expect(await rowOfPoland()).toEqual(["2", "1", "0", "0.00"]);
  expect(textOf((await get("")).text)).toContain("1 still open");
  await clock.advance(11 * 60_000);
  expect(await rowOfPoland()).toEqual(["2", "0", "1", "0.20"]);
});

const closing = {
  type: "login.send_decided",
  onAlert: false,
  appOnAlert: false,
  knownNumber: false,
  knownDevice: false,
} as const;

test("a closed group says since when, what it has cost, and what it has refused since", async () => {
  const { get, publish, clock, doorcode, closeAddress } = await setUp(express);
  await closeAddress();
  const { login } = doorcode[doorcodeParts];
  const group = login?.keys.fingerprint(`address ${secrets.address}`) ?? "";
  const decided = { ...closing, outcome: "refused", limit: "address", country: "PL", group } as const;
  publish({ ...decided, count: 6, threshold: 5, closedForSeconds: 3600 });
  await clock.advance(30_000);
  publish(decided);
  await recordFigures(doorcode).flush();
  await clock.advance(240_000);
  const limits = async () => textOf((await get("/limits")).text);
  expect(await limits()).toContain("Address, Poland At 14:13:20, after 5 logins that nobody had confirmed in 56 min");
  expect(await limits()).toContain("Address, Poland 14:13:20 14:13:50, 4 min ago Over 5 1.00 2 not yet");
  await doorcode.limits.open("address", secrets.address);
  expect(await limits()).toContain("14:13:20 14:13:50, 4 min ago Over 5 1.00 2 by an operator");
  expect(await limits()).toContain(
    "Over The last request was 4 min ago. 1 in this period: 5 texts before the group was closed, which cost 1.00 by your prices; 2 requests refused since.",
  );
});

test("an attack that comes back is another closing, and goes on while a closed group is asked for codes", async () => {
  const { get, publish, clock, doorcode, closeAddress } = await setUp(express);
  const group = doorcode[doorcodeParts].login?.keys.fingerprint(`address ${secrets.address}`) ?? "";
  const decided = { ...closing, outcome: "refused", limit: "address", country: "PL", group } as const;
  for (const count of [7, 4]) {
    publish({ ...decided, count, threshold: count - 1, closedForSeconds: 3600 });
    publish(decided);
    await recordFigures(doorcode).flush();
    if (count === 7) await clock.advance(3 * 3_600_000);
  }
  await closeAddress();
  const text = textOf((await get("/limits?period=week")).text);
  expect(text).toContain("Goes on The last request was 1 s ago. 2 in this period: 9 texts");
  expect(text).toContain("which cost 1.80 by your prices; 4 requests refused since.");
  expect(text).toMatch(/17:13:20, 1 s ago Goes on 3 0.60 2 not yet .* 14:13:20, 3 h ago Over 6 1.20 2 15:13 UTC/);
  // Nobody is locked out any more, so nothing goes on.
  await doorcode.limits.open("address", secrets.address);
  expect(textOf((await get("/limits?period=week")).text)).toContain("Over The last request");
});

test("a country is on alert until codes are sent without it for a minute", async () => {
  const { get, publish, clock, doorcode } = await setUp(express);
  publish({ ...closing, outcome: "allowed", country: "PL", onAlert: true });
  await recordFigures(doorcode).flush();
  const limits = async () => textOf((await get("/limits")).text);
  expect(await limits()).toContain("Poland 1 14:13:20 (1), 1 s ago On alert");
  // The code of that login is sent a moment after it was decided about.
  await clock.advance(2000);
  publish(sent);
  await recordFigures(doorcode).flush();
  expect(await limits()).toContain("Poland 1 14:13:20 (1), 2 s ago On alert");
  await clock.advance(60_000);
  publish(sent);
  await recordFigures(doorcode).flush();
  expect(await limits()).toContain("Poland 1 14:13:20 (1), 62 s ago Over");
});

test("the overview says since when codes cannot be sent, as long as that is so", async () => {
  const { get, publish, clock, doorcode } = await setUp(express);
  const failed = {
    ...named,
    type: "login.send_failed",
    channel: "SMS",
    error: new DoorcodeError("service_unavailable"),
  } as const;
  publish(failed);
  await clock.advance(1_200_000);
  for (const seconds of [0, 20]) {
    await clock.advance(seconds * 1000);
    publish(failed);
  }
  await recordFigures(doorcode).flush();
  const overview = async (query = "") => textOf((await get(query)).text);
  const shown = "service_unavailable: 14:33:20 to 14:33:40 (2), 1 s ago.";
  expect(await overview()).toContain(`Sending fails ${shown} No code was sent since.`);
  expect(await overview("?country=PL")).toContain(`Sending fails ${shown}`);
  expect(await overview("?country=DE")).not.toContain("Sending f");
  expect(await overview()).toContain("service_unavailable 3 14:33:20 to 14:33:40 (2), 1 s ago 14:13:20 (1)");
  await clock.advance(60_000);
  expect(await overview()).toContain("Sending fails");
  publish(sent);
  await recordFigures(doorcode).flush();
  await clock.advance(2000);
  expect(await overview()).toContain("Sending works again It failed with service_unavailable");
  expect(await overview()).toContain("A code was last sent 2 s ago.");
  await clock.advance(600_000);
  expect(await overview()).not.toContain("Sending works again");
  publish(failed);
  await clock.advance(1000);
  publish(sent);
  await recordFigures(doorcode).flush();
  expect(await overview()).toContain("Some codes fail service_unavailable");
});

test("a ceiling is written as the page writes it, may change until the day ends, and what would stop everybody says so", async () => {
  const { get, post, doorcode } = await setUp(express);
  const [, untilMidnight = ""] =
    /<option value="(\d+)">the end of today, 00:00 UTC \(9 h 47 min\)/.exec((await get("/limits")).text) ?? [];
  const atMidnight = { kind: "sends_per_day", value: "9", seconds: untilMidnight };
  expect(textOf((await post("/limits/ceiling", atMidnight)).text)).toContain("until 2026-09-22 00:00 UTC?");
  const [ceiling] = await doorcode.limits.ceilings();
  const form = { kind: ceiling?.kind ?? "", seconds: "3600" };
  expect(textOf((await post("/limits/ceiling", { ...form, value: "10,000" })).text)).toContain("10,000 instead of");
  expect(textOf((await post("/limits/ceiling", { ...form, value: "0" })).text)).toContain(
    "nobody gets a code until then",
  );
  const wrong = textOf((await post("/limits/ceiling", { ...form, value: "many" })).text);
  expect(wrong).toContain("The new value must be a number from 0, such as 500. Back");
});

describe("a replay", () => {
  const [first, second] = ["a".repeat(64), "b".repeat(64)] as const;

  /** Two events that have become dead letters of one error. */
  async function setUpReplay() {
    const kit = await setUp(express);
    const letters = new Map(kit.inbox.letters);
    const fail = (key: string) => {
      const [error, kind] = [new Error("<script>alert(1)</script>"), "verification.update"];
      kit.publish({ type: "webhook.failed", key, kind, durationSeconds: 1, error });
      kit.publish({ type: "webhook.dead_lettered", key, kind });
      const letter = letters.get(key);
      if (letter) kit.inbox.letters.set(key, letter);
    };
    for (const key of [first, second]) fail(key);
    // The newest letter has another error.
    const errors = [...(await kit.get("/dead-letters")).text.matchAll(/name="error" value="([^"]+)"/g)];
    return { ...kit, fail, handle: kit.inbox.handle, form: { error: errors.at(-1)?.[1] ?? "", ...sure } };
  }

  test("says what was handled and what failed again, and the pages name the operator", async () => {
    const { get, post, inbox, fail, handle, form } = await setUpReplay();
    inbox.handle = (key) => (key === first ? handle(key) : fail(key));
    const answer = textOf((await post("/dead-letters/replay", form)).text);
    expect(answer).toContain(
      "Partly. 2 dead letters were replayed. 1 handled, 1 failed again. What failed is tried again",
    );
    const by = "Replayed by ada@example.com at 14:13 UTC";
    const webhooks = textOf((await get("/webhooks")).text);
    expect(webhooks).toContain(`Handled ${by}: handled`);
    expect(webhooks).toContain(`Dead letter ${by}: failed again`);
    expect(textOf((await get(`/dead-letters/letter?key=${first}`)).text)).toContain(`${by}: handled`);
    expect(textOf((await get(`/dead-letters/letter?key=${second}`)).text)).toContain(`${by}: failed again`);
  });

  test("that only failed again, or that no handler can take, is no success, and its page says who tried", async () => {
    const { get, post, inbox, publish, fail, form } = await setUpReplay();
    inbox.handle = (key) =>
      key === first ? fail(key) : publish({ type: "webhook.dead_lettered", kind: "unreadable", key });
    const { text } = await post("/dead-letters/replay", form);
    expect(textOf(text)).toContain(
      "Failed. 2 dead letters were replayed. 0 handled, 2 failed again. The cause is not mended.",
    );
    expect(textOf((await get("/webhooks")).text)).toContain("Replayed by ada@example.com at 14:13 UTC: failed again");
  });

  test("waits no longer than a moment for workers of other processes", async () => {
    const { post, inbox, clock, form } = await setUpReplay();
    inbox.handle = () => undefined;
    let isAnswered = false;
    const answering = post("/dead-letters/replay", form).finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) await clock.advance(1000);
    expect((await answering).text).toContain("0 handled, 0 failed again. 2 not finished yet");
  });

  test("leaves no row behind that calls an event a dead letter which is none", async () => {
    const { get, inbox, doorcode } = await setUpReplay();
    await recordFigures(doorcode).flush();
    expect(textOf((await get("/webhooks")).text)).toMatch(/a{12}… 1 14:13:20, 1 s ago Dead letter Not replayed/);
    expect(textOf((await get("/webhooks")).text)).toContain(
      "alert(1)&lt;/script&gt; verification.update 2 2 14:13:20 (2), 1 s ago Dead letter: 2 Not replayed",
    );
    // The page lists the newest ones only, and the older ones are dead letters all the same.
    const [letter] = inbox.letters.values();
    for (let index = 0; letter && index < 600; index += 1)
      inbox.letters.set(`${index}`, { ...letter, key: `${index}` });
    expect(textOf((await get("/webhooks")).text)).toContain("Dead letter: 2 Not replayed");
    inbox.letters.clear();
    const webhooks = textOf((await get("/webhooks")).text);
    expect(webhooks).toContain("0 dead letters");
    expect(webhooks).toContain("No dead letter any more");
  });
});

test("the navigation counts what is closed and dead, and says what fails now", async () => {
  const { get, publish, clock, doorcode, closeAddress } = await setUp(express);
  const navigation = async () =>
    textOf(/<nav aria-label="Views">.*?<\/nav>/s.exec((await get("/users")).text)?.[0] ?? "");
  expect(await navigation()).toBe("Overview Limits Webhooks Dead letters 3 Store Users Activity");
  await closeAddress();
  publish(sent);
  publish({ ...named, type: "login.send_failed", channel: "SMS", error: new Error("no answer") });
  await recordFigures(doorcode).flush();
  expect(await navigation()).toBe("Overview ! failing Limits 1 closed Webhooks Dead letters 3 Store Users Activity");
  await clock.advance(61_000);
  publish(sent);
  await recordFigures(doorcode).flush();
  expect(await navigation()).toContain("Overview Limits");
});

test("the activity names each action as its button does", async () => {
  const { get, publish, doorcode } = await setUp(express);
  const acted = { type: "operator.acted", operator: "ada", outcome: "unchanged" } as const;
  publish({ ...acted, action: "end_sessions", target: "user_7", text: "No user with this id has a session." });
  publish({ ...acted, action: "change_ceiling", target: "cost_per_day 20", text: "Cost a day is at 20 already." });
  await recordFigures(doorcode).flush();
  const activity = textOf((await get("/activity")).text);
  expect(activity).toContain("ada End the sessions user_7 Unchanged No user with this id has a session.");
  expect(activity).toContain("ada Change a ceiling Cost a day 20 Unchanged Cost a day is at 20 already.");
});

test("reconciling says what was missing and what of it failed, and handles nothing twice", async () => {
  const sandbox = await createSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const { SERVICE_URL, SERVICE_API_KEY, WEBHOOK_SECRET } = sandbox.env;
  const handled: string[] = [];
  let isBroken = true;
  const handle = ({ key }: { readonly key: string }) => {
    if (isBroken) throw new Error("The database does not answer.");
    handled.push(key);
  };
  const doorcode = createDoorcode({
    store: createMemoryStore(),
    service: { baseUrl: SERVICE_URL, apiKey: SERVICE_API_KEY },
    webhooks: { secret: WEBHOOK_SECRET, on: { "message.status.update": handle } },
    onEvent: () => undefined,
  });
  onTestFinished(() => doorcode.close());
  const host = await express?.serve(doorcode);
  onTestFinished(async () => host?.close());
  const channel = { channel: "SMS", sender: "Doorcode", content: { text: "Hello" } } as const;
  await doorcode.messages.send({ recipients: [secrets.phone], channels: [channel] });
  await expect.poll(() => sandbox.inbox.list()[0]?.status).toBe("DELIVERED");
  const reconcile = async () => {
    const body = new URLSearchParams({ seconds: "3600", ...sure });
    return (await fetch(`${host?.url}/operations/webhooks/reconcile`, { method: "POST", headers: own, body })).text();
  };
  expect(textOf(await reconcile())).toContain(
    "Partly. The service listed 1 message. 1 change was missing, and 1 of them failed.",
  );
  isBroken = false;
  expect(textOf(await reconcile())).toContain(
    "Done. The service listed 1 message. 1 change was missing, and 0 of them failed.",
  );
  expect(await reconcile()).toContain("0 changes were missing");
  expect(handled).toHaveLength(1);
});

/** The words of a page, with one space between them. */
function textOf(html: string): string {
  const text = html.replaceAll(/<[^>]*>/g, " ").replaceAll("&#39;", "'");
  return text.replaceAll(/\s+/g, " ").replaceAll(" ,", ",").trim();
}

test("while the store does not answer, every view that needs it says so, and the page stays", async () => {
  const { get, doorcode } = await setUp(express);
  Object.assign(doorcode[doorcodeParts].store, { get: () => Promise.reject(new Error(secrets.phone)) });
  for (const view of ["", "/limits", "/webhooks", "/store"]) {
    const { status, text } = await get(view);
    expect(status).toBe(503);
    expect(text).toContain("does not answer");
    expect(text).toContain('href="/operations/users"');
    expect(text).not.toContain(secrets.phone);
  }
  expect((await get("/users")).status).toBe(200);
});

test("an error that the kit has published is not published again by the page that it stops", async () => {
  const { get, doorcode, events } = await setUp(express);
  const { store } = doorcode[doorcodeParts];
  Object.assign(store, { get: () => Promise.reject(new DoorcodeError("store_unavailable")) });
  expect((await get("/limits")).status).toBe(503);
  expect(events).toMatchObject([{ type: "store.failed" }]);
});

test("an action is answered only when the store has it, so that the next page shows it", async () => {
  const { doorcode } = await createOperatedKit();
  const { store } = doorcode[doorcodeParts];
  const { settle } = store;
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  Object.assign(store, {
    async settle(...given: Parameters<typeof settle>) {
      begun.resolve();
      await released.promise;
      return settle(...given);
    },
  });
  const headers = { host: "localhost", "sec-fetch-site": "same-origin" };
  const readBody = async () => ({ bytes: new TextEncoder().encode("user=nobody&sure=yes") });
  const action = { ...page, method: "POST", path: "/users/end-sessions", headers, readBody };
  let isAnswered = false;
  const answer = createOperations(doorcode, { operator: () => "ada" }).handle(action as never, {});
  answer.finally(() => {
    isAnswered = true;
  });
  await begun.promise;
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  expect(isAnswered).toBe(false);
  released.resolve();
  expect(await answer).toMatchObject({ status: 200, body: expect.stringContaining("Unchanged.") });
});

test("wrong options are refused by name", async () => {
  const { doorcode } = await createOperatedKit();
  const wrong = (options: object) => () => express?.serve(doorcode, options as never);
  await expect(wrong({ release: "a release" })).rejects.toThrow("operations: release:");
  await expect(wrong({ price: {} })).rejects.toThrow(/operations: .*price/);
  expect(() => fetchOperations(doorcode, { basePath: "operations" })).toThrow("operations: basePath:");
});
