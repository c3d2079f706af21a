import { existsSync } from "node:fs";

const usual = [
  // Without a window, which costs more than the pages in it.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Finds Chromium: at `CHROMIUM_PATH`, or in one of the usual places. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH ?? usual.find((path) => existsSync(path));
}

/** Starts Chromium without a window, and without connections other than to the page under test. */
export const chromiumArguments: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
