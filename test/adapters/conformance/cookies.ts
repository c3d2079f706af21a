import { describe, expect, test } from "vitest";
import { phone, setUp } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

function namesOf(headers: Headers): string[] {
  return headers.getSetCookie().map((cookie) => cookie.slice(0, cookie.indexOf("=")).replace(/^t\w+-/, "kit-"));
}

/** Cookies of the app and of the kit are set by the same answer. */
export function describeCookies(host: AdapterHost): void {
  describe("cookies", () => {
    test("L26: cookies of the app and of the kit arrive together, in either order", async () => {
      const { open, service } = await setUp(host);
      const browser = open();
      const started = await browser.post("/login/start", { phone });
      const confirmed = await browser.post("/login/confirm", { code: service.code });
      expect(namesOf(started.headers).sort()).toEqual(["early", "kit-transaction", "late"]);
      expect(namesOf(confirmed.headers).sort()).toEqual([
        "early",
        "kit-device",
        "kit-session",
        "kit-transaction",
        "late",
      ]);
    });

    test("L26: an answer without cookies of the kit keeps those of the app", async () => {
      const { open } = await setUp(host);
      const browser = open();
      expect(namesOf((await browser.get("/login/state")).headers).sort()).toEqual(["early", "late"]);
      expect(namesOf((await browser.get("/account")).headers).sort()).toEqual(["early", "late"]);
    });
  });
}
