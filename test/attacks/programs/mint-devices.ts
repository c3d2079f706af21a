import type { Browser } from "../../support/browser.ts";
import { type LoginSetup, newestCode } from "../../support/login-setup.ts";

/**
 * Someone who has a number and wants it to get many texts: each login begins as a known device and is confirmed without the device's
 * cookie, so that the browser gets another one.
 *
 * @param pauseSeconds - the time between two starts, for so many of them.
 * @returns the texts that the number got.
 */
export async function mintDevices(
  { open, clock, service }: LoginSetup,
  phone: string,
  { starts, pauseSeconds }: { readonly starts: number; readonly pauseSeconds: number },
): Promise<number> {
  const before = service.created.length;
  const devices: Browser[] = [open()];
  for (let start = 0; start < starts; start++) {
    await clock.advance(pauseSeconds * 1000);
    // The newest one has asked for the fewest codes.
    const browser = devices.at(-1)?.copy() ?? open();
    const { status } = await browser.post("/login/start", { phone });
    if (status !== 200) continue;
    forgetDevice(browser);
    await browser.post("/login/confirm", { code: newestCode(service) });
    devices.push(browser);
  }
  return service.created.length - before;
}

/** Deletes the cookie by which a device is known again. */
export function forgetDevice({ cookies }: Browser): void {
  for (const name of cookies.keys()) if (name.endsWith("-device")) cookies.delete(name);
}
