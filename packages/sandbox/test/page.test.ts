import { describe, expect, test } from "vitest";
import { confirm, messageRequest, phone, post, start, startVerification } from "./support/start.ts";

async function page(url: string): Promise<{ html: string; policy: string }> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return { html: await response.text(), policy: response.headers.get("content-security-policy") ?? "" };
}

test("shows number, channel, text and the code to copy", async () => {
  const { sandbox } = await start();
  const { code } = await startVerification(sandbox);
  const { html } = await page(sandbox.url);
  expect(html).toContain(phone);
  expect(html).toContain(`Your code is ${code}`);
  expect(html).toContain(`data-copy="${code}"`);
});

test("shows the deliveries with their attempts and the next one", async () => {
  const { sandbox, clock } = await start();
  sandbox.deliverTo(() => new Response("no <thanks>", { status: 418 }));
  await startVerification(sandbox);
  await clock.advance(50);
  const { html } = await page(sandbox.url);
  for (const part of ["verification.update", "1 attempt", "418", "no &lt;thanks&gt;", "14:13:50.050"]) {
    expect(html).toContain(part);
  }
});

test("shows the newest 200 messages of many", async () => {
  const { sandbox } = await start();
  const recipients = Array.from({ length: 205 }, (_, index) => `+4915112345${index + 100}`);
  await post(sandbox, "/messages", messageRequest({ recipients }));
  const { html } = await page(sandbox.url);
  expect(html.match(/class="bubble"/g)).toHaveLength(200);
});

describe("what a text holds stays text", () => {
  test.each(["<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "</style><svg onload=alert(1)>"])(
    "%s",
    async (text) => {
      const { sandbox, clock } = await start();
      await post(
        sandbox,
        "/messages",
        messageRequest({ channels: [{ channel: "SMS", sender: "Doorcode", content: { text } }] }),
      );
      await startVerification(sandbox, { custom_otp: text.slice(0, 32), template: undefined });
      await clock.advance(50);
      const { html } = await page(sandbox.url);
      expect(html).not.toContain(text.slice(0, 32));
      expect(html.match(/<script/g)).toHaveLength(1);
      expect(html.match(/<(img|svg)/g)).toBeNull();
    },
  );
});

test("runs one script and one style, by a nonce that is new each time, and reaches nothing else", async () => {
  const { sandbox } = await start();
  const [first, second] = [await page(sandbox.url), await page(sandbox.url)];
  const nonce = /script-src 'nonce-([^']+)'/.exec(first.policy)?.[1] ?? "";
  expect(nonce.length).toBeGreaterThanOrEqual(22);
  expect(second.policy).not.toContain(nonce);
  expect(first.html).toContain(`<script nonce="${nonce}">`);
  expect(first.html).toContain(`<style nonce="${nonce}">`);
  expect(first.policy.split("; ")).toEqual([
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
  expect(first.html.match(/(src|href)="[^"]*"/g)).toEqual([expect.stringContaining('href="data:image/svg+xml')]);
  expect(first.html).not.toMatch(/style="|onclick/);
});

test("shows nothing of another application", async () => {
  const { sandbox } = await start();
  const second = sandbox.createApplication();
  const { id, code } = await startVerification(second, { recipient: "+436641234567" });
  await confirm(second, id, code);
  const { html } = await page(sandbox.url);
  expect(html).not.toContain("+436641234567");
  expect(html).not.toContain(second.env.SERVICE_API_KEY);
});

test("renews the part that changes without a style or script of its own, which the page's policy would refuse", async () => {
  const { sandbox } = await start();
  const { code } = await startVerification(sandbox);
  const { html } = await page(`${sandbox.url}/_sandbox/page`);
  expect(html).toMatch(/^<main>[\s\S]*<\/main>$/);
  expect(html).toContain(`data-copy="${code}"`);
  expect(html).not.toMatch(/<(style|script)/);
});
