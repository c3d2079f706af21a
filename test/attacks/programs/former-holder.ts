import type { Browser } from "../../support/browser.ts";
import { type LoginSetup, newestCode, tryWrongCodes } from "../../support/login-setup.ts";

/** What the former holder of a number achieved, and its new owner meanwhile. */
export interface FormerHolderFigures {
  /** The most texts that the number got in a day, those of the owner too. */
  readonly maxTextsPerDay: number;
  /** The wrong codes of the former holder that were compared. */
  readonly guesses: number;
  /** The days on which the new owner has logged in on the owner's own device. */
  readonly ownerSuccesses: number;
}

const hour = 3_600_000;

/**
 * The former holder of a number has kept the cookies of many devices. Somebody else has the number now, and logs in on one device of their
 * own, once a day. The former holder starts logins on the kept devices all day long and tries codes, from one address.
 */
export async function returnAsFormerHolder(
  login: LoginSetup,
  phone: string,
  { devices, days }: { readonly devices: number; readonly days: number },
): Promise<FormerHolderFigures> {
  const { clock, service } = login;
  const kept: Browser[] = [];
  while (kept.length < devices) kept.push(await logIn(login, phone, login.open()));
  const owner = await logIn(login, phone, login.open());
  await clock.advance(30 * hour);

  let [guesses, ownerSuccesses, maxTextsPerDay] = [0, 0, 0];
  for (let day = 0; day < days; day++) {
    const before = service.created.length;
    for (let slot = 0; slot < 8; slot++) {
      for (const device of kept) guesses += await guess(login, phone, device);
      await clock.advance(3 * hour);
    }
    ownerSuccesses += (await succeeds(login, phone, owner)) ? 1 : 0;
    maxTextsPerDay = Math.max(maxTextsPerDay, service.created.length - before);
  }
  return { maxTextsPerDay, guesses, ownerSuccesses };
}

/** Logs in on a new device, when the limits let it. */
async function logIn(login: LoginSetup, phone: string, browser: Browser): Promise<Browser> {
  for (let hours = 0; hours < 48; hours++) {
    if (await succeeds(login, phone, browser)) return browser;
    await login.clock.advance(hour);
  }
  throw new Error("The number cannot log in.");
}

async function succeeds({ clock, service }: LoginSetup, phone: string, browser: Browser): Promise<boolean> {
  await clock.advance(1000);
  await browser.post("/login/logout");
  if ((await browser.post("/login/start", { phone })).status !== 200) return false;
  return (await browser.post("/login/confirm", { code: newestCode(service) })).status === 200;
}

/** Starts a login as this device and tries codes. Returns how many of them were compared. */
async function guess({ clock, service }: LoginSetup, phone: string, device: Browser): Promise<number> {
  await clock.advance(1000);
  const browser = device.copy();
  if ((await browser.post("/login/start", { phone })).status !== 200) return 0;
  const answers = await tryWrongCodes(browser, service, 5);
  return answers.filter(({ json }) => json.code === "code_rejected").length;
}
