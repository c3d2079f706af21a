import { expect, test } from "vitest";
import { summarizeClient } from "../../src/util/client.ts";

const mozilla = "Mozilla/5.0";
const gecko = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  ["Chrome on Windows", `${mozilla} (Windows NT 10.0; Win64; x64) ${gecko} Chrome/142.0.0.0 Safari/537.36`],
  ["Edge on Windows", `${mozilla} (Windows NT 10.0; Win64; x64) ${gecko} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`],
  [
    "Opera on macOS",
    `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) ${gecko} Chrome/142.0.0.0 Safari/537.36 OPR/126.0`,
  ],
  ["Firefox on macOS", `${mozilla} (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0`],
  ["Chrome on Android", `${mozilla} (Linux; Android 10; K) ${gecko} Chrome/142.0.0.0 Mobile Safari/537.36`],
  [
    "Samsung Internet on Android",
    `${mozilla} (Linux; Android 10; K) ${gecko} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`,
  ],
  ["Safari on iPhone", `${mozilla} (iPhone; CPU iPhone OS 18_6 like Mac OS X) Version/26.0 Mobile/15E148 Safari/604.1`],
  ["Chrome on iPhone", `${mozilla} (iPhone; CPU iPhone OS 18_7 like Mac OS X) CriOS/142.0 Mobile/15E148 Safari/604.1`],
  ["Firefox on iPad", `${mozilla} (iPad; CPU OS 18_7 like Mac OS X) FxiOS/145.0 Mobile/15E148 Safari/604.1`],
  ["Chrome on ChromeOS", `${mozilla} (X11; CrOS x86_64 14541.0.0) ${gecko} Chrome/142.0.0.0 Safari/537.36`],
  ["Linux", `${mozilla} (X11; Linux x86_64) Example/1.0`],
  [undefined, "okhttp/5.3.0"],
  [undefined, undefined],
])("calls a client %s by its User-Agent %s", (summary, userAgent) => {
  expect(summarizeClient({ headers: { "user-agent": userAgent } })).toBe(summary);
});
