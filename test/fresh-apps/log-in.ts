import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, openBrowser } from "../support/browser.ts";
import { CommandError } from "./command.ts";
import type { AppWithUsers } from "./fresh-app.ts";

const phone = "+4915123456789";
const maxWaitMilliseconds = 60_000;

/**
 * Logs in to a running app, and waits until its handler has seen the webhook of the right code.
 *
 * @throws CommandError if a step is answered otherwise than a new user expects
 */
export async function logInToApp(appUrl: string, sandboxUrl: string): Promise<void> {
  const browser = openBrowser(appUrl);
  await until("the app answers", () =>
    browser.get("/account").then(
      ({ status }) => status === 401,
      () => false,
    ),
  );
  expectOk("start", await browser.post("/login/start", { phone }));
  const inbox = openBrowser(`${sandboxUrl}/_sandbox/inbox`);
  const message = await inbox.get(`/wait?to=${encodeURIComponent(phone)}`);
  expectOk("read the code", message);
  expectOk("confirm", await browser.post("/login/confirm", { code: message.json.code }));
  const account = await browser.get("/account");
  expectOk("the guarded page", account);
  if (account.json.id !== `user ${phone}`) throw new CommandError(`The guarded page shows ${account.text}.`);
  await until("the handler sees the webhook", async () => (await browser.get("/account")).text.includes("APPROVED"));
}

/**
 * Logs in to an app with users and sessions of its own, and waits until it has acknowledged the webhooks.
 *
 * @throws CommandError if its page for users does not show the phone number to the person who has logged in, and to nobody else
 */
export async function logInToExistingApp(
  appUrl: string,
  sandboxUrl: string,
  { account, login }: Pick<AppWithUsers, "account" | "login">,
): Promise<void> {
  const browser = openBrowser(appUrl);
  await until("the app refuses a stranger", () =>
    browser.get(account).then(
      ({ status }) => status === 401,
      () => false,
    ),
  );
  expectOk("start", await browser.post(`${login}/start`, { phone }));
  const control = openBrowser(`${sandboxUrl}/_sandbox`);
  const message = await control.get(`/inbox/wait?to=${encodeURIComponent(phone)}`);
  expectOk("read the code", message);
  const confirmed = await browser.post(`${login}/confirm`, { code: message.json.code });
  expectOk("confirm", confirmed);
  const { token } = Object(confirmed.json.result);
  const shown = await browser.get(account, typeof token === "string" ? { authorization: `Bearer ${token}` } : {});
  expectOk("the page for users", shown);
  if (shown.json.phone !== phone) throw new CommandError(`The page for users shows ${shown.text}.`);
  expectOk("the webhook", await control.get("/deliveries/wait?status=delivered&timeout=20"));
}

function expectOk(step: string, { status, text }: Answer): void {
  if (status !== 200) throw new CommandError(`${step}: ${status} ${text}`);
}

async function until(event: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + maxWaitMilliseconds;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new CommandError(`In vain: ${event}.`);
    await sleep(50);
  }
}
