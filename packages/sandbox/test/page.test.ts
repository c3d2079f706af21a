import { describe, expect, test } from "vitest";
import { durationText, leftText } from "../src/page/browser/time-text.ts";
import { sendForm, view } from "./support/page.ts";
import {
  confirm,
  inOrder,
  messageRequest,
  phone,
  post,
  silent,
  sms,
  start,
  startVerification,
} from "./support/start.ts";

const base = "/applications/default";

test.each([
  ["Your code is 271828.\n\n@localhost #271828", true, "Browsers fill this code in at localhost."],
  ["@app.example.com #271828", true, "Browsers fill this code in at app.example.com only, and not at localhost."],
  ["@localhost #271828\nBye", false, "Browsers do not fill this code in: the line with @ and # is not the last one."],
  ["@localhost  #271828", false, "Browsers do not fill this code in: the last line must be @, the host, one space"],
  [`${"a".repeat(122)}\n@localhost #271828`, true, "Browsers do not fill this code in: the text is longer than 140"],
])("tells whether browsers fill in the code of the message %j", async (text, hasCode, note) => {
  const { sandbox } = await start();
  await post(sandbox, "/messages", messageRequest({ channels: sms(text) }));
  const { html } = await view(sandbox.url);
  expect(html).toContain(note);
  expect(html.includes('data-copy="271828"')).toBe(hasCode);
});

test("says nothing about browsers of a message without such a line, and of a verification", async () => {
  const { sandbox } = await start();
  await post(sandbox, "/messages", messageRequest());
  await startVerification(sandbox);
  expect((await view(sandbox.url)).html).not.toContain("Browsers");
});

test("explains how to begin while the inbox is empty", async () => {
  const { sandbox } = await start();
  const { html } = await view(sandbox.url);
  expect(html).toContain(`SERVICE_URL=${sandbox.url}/v1`);
  expect(html).toContain("SERVICE_API_KEY=sandbox-api-key");
  expect(html).toContain(`curl ${sandbox.url}/v1/verifications`);
});

test("highlights what was searched for, in upper or lower case", async () => {
  const { sandbox } = await start();
  await post(sandbox, "/messages", messageRequest());
  expect((await view(`${sandbox.url}/?q=hELL`)).html).toContain("<mark>Hell</mark>o");
});

test("loses no character of a text in which it finds nothing to highlight", async () => {
  const { sandbox } = await start();
  const channels = sms("Hello hello, İstanbul");
  await post(sandbox, "/messages", messageRequest({ channels }));
  expect((await view(`${sandbox.url}/?q=HELLO`)).html).toContain("Hello hello, İstanbul");
});

test("shows one thread for each number and channel, the newest first, and its messages", async () => {
  const { sandbox } = await start();
  const threads = async () => {
    const { html } = await view(sandbox.url);
    const rows = html.matchAll(/id="row-[^"]*\/inbox\/([^"]*)".*?<\/li>/gs);
    return [...rows].map(([row, path = ""]) => `${decodeURIComponent(path)}${row.includes("2 messages") ? " 2" : ""}`);
  };
  await post(sandbox, "/messages", messageRequest());
  await post(sandbox, "/messages", messageRequest({ recipients: ["+436641234567"] }));
  await startVerification(sandbox, { channels: inOrder("VOICE") });
  await post(sandbox, "/messages", messageRequest());
  expect(await threads()).toEqual([`${phone}/SMS 2`, `${phone}/VOICE`, "+436641234567/SMS"]);
  sandbox.inbox.remove(sandbox.inbox.list().at(-1)?.id ?? "");
  expect(await threads()).toEqual([`${phone}/VOICE`, "+436641234567/SMS", `${phone}/SMS`]);
  const { html } = await view(`${sandbox.url}${base}/inbox/${encodeURIComponent(phone)}/SMS`);
  expect(html.match(/class="bubble sms"/g)).toHaveLength(1);
  expect(html).toContain("1 segment · GSM-7");
});

test("pages through threads and messages", async () => {
  const { sandbox } = await start();
  const recipients = Array.from({ length: 120 }, (_, index) => `+4915112345${index + 100}`);
  await post(sandbox, "/messages", messageRequest({ recipients }));
  const rows = (html: string) => html.match(/class="thread-row"/g)?.length;
  const older = (html: string, name: string) =>
    [...html.matchAll(/href="([^"]+)" class="button"/g)].map(([, href]) => href).find((href) => href?.includes(name)) ??
    "";
  let { html } = await view(sandbox.url);
  const counts = [rows(html)];
  for (let next = older(html, "threads="); next !== ""; next = older(html, "threads=")) {
    ({ html } = await view(`${sandbox.url}${next.replaceAll("&amp;", "&")}`));
    counts.push(rows(html));
  }
  expect(counts).toEqual([50, 50, 20]);
  // A cursor whose thread was deleted.
  expect(rows((await view(`${sandbox.url}/?threads=gone`)).html)).toBe(50);
});

test.each(["<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "</style><svg onload=alert(1)>"])(
  "markup in a text stays text: %s",
  async (text) => {
    const { sandbox, clock } = await start();
    sandbox.configure({ name: text, templates: { login: "{{code}}", [text]: text } });
    const channels = sms(text);
    await post(sandbox, "/messages", messageRequest({ channels }));
    await startVerification(sandbox, { custom_otp: text.slice(0, 32), template: undefined });
    await clock.advance(50);
    const thread = `/inbox/${encodeURIComponent(text)}/${encodeURIComponent(text)}`;
    for (const path of [
      "",
      "/verifications",
      "/requests",
      "/portal/messaging",
      thread,
      `?q=${encodeURIComponent(text)}`,
    ]) {
      const { html } = await view(`${sandbox.url}${base}${path}`);
      expect(html).not.toContain(text.slice(0, 32));
      expect(html.match(/<script/g)).toHaveLength(2);
      expect(html).not.toMatch(/<img|<svg onload/);
    }
  },
);

test("allows only its own scripts and styles, by a nonce that is always new", async () => {
  const { sandbox } = await start();
  const [first, second] = [await view(sandbox.url), await view(sandbox.url)];
  const nonce = /script-src 'nonce-([^']+)'/.exec(first.policy)?.[1] ?? "";
  expect(nonce.length).toBeGreaterThanOrEqual(22);
  expect(second.policy).not.toContain(nonce);
  expect(first.policy.split("; ")).toEqual([
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]);
  expect(first.html).not.toMatch(/ style="| on\w+="/);
});

test("loads nothing from other servers and links to none, on every view", async () => {
  const { sandbox } = await start();
  await startVerification(sandbox);
  const tabs = ["", "/endpoints", "/messaging", "/numbers", "/dialect", "/usage", "/account"];
  const views = [
    "",
    "/verifications",
    "/webhooks",
    "/requests",
    "/clock",
    "/limits",
    ...tabs.map((tab) => `/portal${tab}`),
  ];
  for (const path of views) {
    const { html } = await view(`${sandbox.url}${base}${path}`);
    for (const [, address = ""] of html.matchAll(/(?:src|href|action)="([^"]*)"/g)) {
      expect(address).toMatch(/^(\/(?!\/)|#|data:image\/svg)/);
    }
  }
});

describe("the list of webhooks", () => {
  const rows = (html: string) => [...html.matchAll(/<li id="row-dlv_.*?<\/li>/gs)].map(([row]) => row);
  const events = (html: string) =>
    [...html.matchAll(/<li id="evt_\w+" class="event">(.*?)<\/ul><\/li>/gs)].map(
      ([, event = ""]) => rows(event).length,
    );

  /** Two endpoints; the second one fails the events of messages. */
  async function deliver() {
    const { sandbox, clock } = await start();
    const first = sandbox.endpoints.add({ target: () => new Response() });
    sandbox.endpoints.add({ target: () => new Response(null, { status: 500 }), events: ["message.status.update"] });
    await post(sandbox, "/messages", messageRequest({ recipients: [silent] }));
    await startVerification(sandbox, { recipient: silent });
    await clock.advance(1000);
    await sandbox.deliveries.settled();
    const list = async (query: string) => (await view(`${sandbox.url}${base}/webhooks?${query}`)).html;
    return { sandbox, list, first };
  }

  test("has one entry for an event, with its delivery to each endpoint", async () => {
    const { list } = await deliver();
    expect(events(await list(""))).toEqual([1, 2]);
  });

  test("is filtered by endpoint, event and status", async () => {
    const { list, first } = await deliver();
    expect(events(await list(`endpoint=${encodeURIComponent(first.url)}`))).toEqual([1, 1]);
    expect(events(await list("event=message.status.update"))).toEqual([2]);
    expect(events(await list("status=retrying"))).toEqual([1]);
    expect(events(await list(`q=${encodeURIComponent("+49 171 392 00 20")}&status=delivered`))).toEqual([1, 1]);
    expect(events(await list("status=failed"))).toEqual([]);
  });

  test("replays a delivery that waits for its next attempt", async () => {
    const { sandbox, list } = await deliver();
    expect(await list("")).toContain("Replay 1 unacknowledged");
    await sendForm(sandbox, `${base}/deliveries/replay`);
    await sandbox.deliveries.settled();
    expect(sandbox.deliveries.list().map(({ attempts }) => attempts.length)).toEqual([1, 2, 1]);
  });
});

test("a number and a code are grouped, and copied without spaces", async () => {
  const { sandbox } = await start({ codes: { [phone]: "12345678" } });
  await startVerification(sandbox);
  const { html } = await view(sandbox.url);
  const number = ["+49", "1511", "2345678"].map((part) => `<span class="digits">${part}</span>`).join("");
  expect(html).toContain(`<span class="number">${number}</span>`);
  expect(html).toContain('<span><span class="digits">1234</span><span class="digits">5678</span></span>');
  expect(html).toContain('data-copy="12345678"');
  for (const search of ["+49 1511 2345678", "1234 5678"]) {
    const { html: found } = await view(`${sandbox.url}${base}/verifications?q=${encodeURIComponent(search)}`);
    expect(found.match(/class="record"/g)).toHaveLength(1);
  }
});

test.each(["/nowhere", "/_sandbox/nowhere", `${base}/nowhere`])(
  "an address at which there is nothing: %s is a page for a browser, and JSON for a program",
  async (path) => {
    const { sandbox } = await start();
    const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    const page = await fetch(`${sandbox.url}${path}`, { headers: { accept } });
    expect(page.status).toBe(404);
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    expect(await page.text()).toContain('<a href="/">Back to the inbox</a>');
    const answer = await fetch(`${sandbox.url}${path}`);
    expect([answer.status, await answer.json()]).toMatchObject([404, { error_code: "request.not_found" }]);
  },
);

test("shows a request with its cause, body and answer, and finds refused ones", async () => {
  const { sandbox } = await start();
  await post(sandbox, "/messages", messageRequest());
  await post(sandbox, "/messages", messageRequest({ channels: sms("Hello", "Shop") }));
  const list = async (query = "") => (await view(`${sandbox.url}${base}/requests${query}`)).html;
  const rows = (html: string) => html.match(/data-row/g)?.length ?? 0;
  expect(rows(await list())).toBe(2);
  expect(rows(await list("?outcome=refused"))).toBe(1);
  expect(rows(await list("?outcome=accepted&q=shop"))).toBe(0);
  const path = /href="([^"]+\/requests\/api_\w+)"/.exec(await list("?outcome=refused"))?.[1];
  const { html } = await view(`${sandbox.url}${path}`);
  expect(html).toContain("channels[0].sender: This sender is not registered on the account.");
  expect(html).toContain("key of Default application ••••-key");
  expect(html).toContain("&quot;sender&quot;: &quot;Shop&quot;");
  expect(html).toContain("&quot;error_code&quot;: &quot;message.sender_not_registered&quot;");
  expect(html).not.toContain(sandbox.env.SERVICE_API_KEY);
});

test("shows nothing of another application", async () => {
  const { sandbox } = await start();
  const second = sandbox.createApplication();
  const { id, code } = await startVerification(second, { recipient: "+436641234567" });
  await confirm(second, id, code);
  for (const path of ["", "/verifications", "/webhooks", "/requests", "/portal"]) {
    const { html } = await view(`${sandbox.url}${base}${path}`);
    expect(html).not.toContain("+436641234567");
    expect(html).not.toContain(second.env.SERVICE_API_KEY);
    expect(html).not.toContain(second.env.WEBHOOK_SECRET);
  }
  const response = await fetch(`${sandbox.url}${base}/verifications/${id}`);
  expect(response.status).toBe(404);
  expect(await response.text()).not.toContain(code);
});

test("redirects the view of a removed application to the default one", async () => {
  const { sandbox } = await start();
  const { html } = await view(`${sandbox.url}/applications/app_gone/portal`);
  expect(html).toContain("This application no longer exists.");
  expect(html).toContain("Default application");
});

test.each([
  [50, "50 ms"],
  [4200, "4.2 s"],
  [61_000, "1 m 1 s"],
  [4_350_000, "1 h 12 m"],
  [90_000_000, "1 d 1 h"],
])("the page shows %d ms as %s", (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

test("a countdown is in whole seconds, and then shows now", () => {
  expect([118_001, 1, 0, -5].map(leftText)).toEqual(["in 1 m 59 s", "in 1 s", "now", "now"]);
});
