import type { Browser } from "../../support/browser.ts";
import { newestCode, serviceOwned, setUpLogin } from "../../support/login-setup.ts";
import type { Platform } from "../../support/platforms.ts";

/** The size of the office, and of the outage. */
export interface OfficeOptions {
  readonly people: number;
  /** The codes that each of them tries while the service is away. */
  readonly tries: number;
}

/** What became of the people of the office. */
export interface OfficeFigures {
  /** The codes that the service was asked about during the outage. */
  readonly asked: number;
  /** The people who log in with their right codes once the service is back. */
  readonly loggedIn: number;
  /** The refusals of the others. */
  readonly refusals: readonly unknown[];
}

const outageMinutes = 10;

/**
 * Plays an outage over HTTP, with the limits that an app has by default: the people of an office have one address, and log in on new
 * devices. The service takes their codes and then answers 503 for ten minutes, in which each of them tries a right code again and again.
 */
export async function playOffice(platform: Platform, { people, tries }: OfficeOptions): Promise<OfficeFigures> {
  const limits = { mode: "enforce", checkPauseSeconds: [0, 0, 60, 120] } as const;
  const login = await setUpLogin(platform, { codes: serviceOwned.codes, login: { limits } });
  const { service, clock } = login;
  // Blocks of numbers of their own: who works together has not bought phones together.
  const phones = Array.from({ length: people }, (_, person) => `+49151${20 + person}456789`);
  const confirm = (browser: Browser) => browser.post("/login/confirm", { code: newestCode(service) });
  const start = async (phone: string): Promise<Browser> => {
    const browser = login.open();
    await browser.post("/login/start", { phone });
    return browser;
  };

  for (const phone of phones) await confirm(await start(phone));
  await clock.advance(2 * 86_400_000);
  const before = service.confirmations.length;
  const browsers = await Promise.all(phones.map(start));
  service.onConfirm = () => ({ status: 503, body: {} });
  for (let time = 0; time < tries; time++) {
    await Promise.all(browsers.map(confirm));
    await clock.advance((outageMinutes * 60_000) / tries);
  }
  service.onConfirm = () => undefined;
  const asked = service.confirmations.length - before;

  const refusals: unknown[] = [];
  for (const [person, browser] of browsers.entries()) {
    let answer = await confirm(browser);
    // The attempts of this login are used up, or its time is over.
    if (answer.status === 400) answer = await confirm(await start(phones[person] ?? ""));
    if (answer.json.status !== "logged_in") refusals.push(answer.json.code);
  }
  return { asked, loggedIn: people - refusals.length, refusals };
}
