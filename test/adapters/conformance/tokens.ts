import { describe, expect, test } from "vitest";
import { openPhoneApp } from "../../support/phone-app.ts";
import { phone, setUp } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

/** Clients without cookies. What an attacker may try with tokens is the same on every framework: see `test/login`. */
export function describeTokens(host: AdapterHost): void {
  describe("a client without cookies", () => {
    const setUpHere = () => setUp(host, { session: { transport: "both" } });

    test("logs in, is let through the guard and logs out with tokens alone", async () => {
      const { url, service } = await setUpHere();
      const app = openPhoneApp(url);
      const started = await app.post("/login/start", { phone });
      const underWay = await app.get("/login/state");
      const confirmed = await app.post("/login/confirm", { code: service.code });
      const guarded = await app.get("/account");
      const loggedIn = await app.get("/standing");
      const who = await app.get("/who");
      const thief = app.copy();
      const loggedOut = await app.post("/login/logout");
      const afterwards = await thief.get("/account");

      const { number, transactionToken, ...state } = started.json;
      expect(transactionToken).toMatch(/^transactionToken\.[\w-]{22}$/);
      expect(underWay.json).toEqual(state);
      expect(confirmed.json).toMatchObject({
        status: "logged_in",
        userId: "user_1",
        sessionToken: expect.stringMatching(/^[\w.~/-]+$/),
        deviceToken: expect.stringMatching(/^deviceToken\.[\w-]{22}$/),
      });
      expect(guarded.json).toMatchObject({ userId: "user_1" });
      expect(loggedIn.json).toMatchObject({ status: "logged_in", userId: "user_1" });
      expect(who.json).toEqual({ userId: "user_1" });
      expect(loggedOut.json).toMatchObject({ status: "none" });
      expect([afterwards.status, afterwards.json.code]).toEqual([401, "login_required"]);
      expect(afterwards.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
    });

    test("is asked for a token by a guard; an app without tokens asks for none", async () => {
      const withTokens = await setUpHere();
      const without = await setUp(host);
      const asked = await openPhoneApp(withTokens.url).get("/account");
      const refused = await without.open().get("/account");
      expect([asked.status, asked.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, null]);
    });

    const ofAnApp = ["capacitor://localhost", "https://localhost"];
    test.each([
      ...["same-origin", "same-site", "none"].flatMap((site) =>
        ofAnApp.map((origin) => ({ site, origin, status: 403 })),
      ),
      { site: "same-origin", origin: undefined, status: 403 },
      ...ofAnApp.map((origin) => ({ site: "cross-site", origin, status: 200 })),
      ...ofAnApp.map((origin) => ({ site: undefined, origin, status: 200 })),
    ])(
      "L44: is no page of a website: with Sec-Fetch-Site $site and the origin $origin it is answered $status",
      async (from) => {
        const origins = ["https://app.example.com", ...ofAnApp];
        const { open, service } = await setUp(host, { options: { origins }, session: { transport: "both" } });
        const { status, json } = await open().post(
          "/login/start",
          { phone },
          {
            "doorcode-transport": "bearer",
            ...(from.site !== undefined && { "sec-fetch-site": from.site }),
            ...(from.origin !== undefined && { origin: from.origin }),
          },
        );

        const isApp = from.status === 200;
        expect([status, json.code]).toEqual([from.status, isApp ? undefined : "transport_not_allowed"]);
        expect([typeof json.transactionToken, service.created.length]).toEqual(
          isApp ? ["string", 1] : ["undefined", 0],
        );
      },
    );

    test("stands beside browsers, which get cookies and no tokens", async () => {
      const { open, service } = await setUpHere();
      const browser = open();
      const started = await browser.post("/login/start", { phone });
      const confirmed = await browser.post("/login/confirm", { code: service.code });
      const given = { ...started.json, ...confirmed.json };
      expect(Object.keys(given).filter((name) => name.endsWith("Token"))).toEqual([]);
      expect((await browser.get("/account")).json).toMatchObject({ userId: "user_1" });
    });
  });
}
