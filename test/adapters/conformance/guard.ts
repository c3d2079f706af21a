import { describe, expect, test } from "vitest";
import { createDeployment } from "../../support/deployment.ts";
import { stores } from "../../support/places.ts";
import { type KitOptions, phone, setUp } from "../bench.ts";
import type { AdapterHost } from "../host.ts";

/** Routes behind a login, and routes that only ask who is there. */
export function describeGuard(host: AdapterHost): void {
  describe.each(stores)("guarded routes, with sessions kept in $name", (store) => {
    const setUpHere = (options: KitOptions = {}) => setUp(host, { app: createDeployment(store), ...options });

    test("tell the route who is logged in", async () => {
      const { loggedIn } = await setUpHere();
      const { json } = await (await loggedIn()).get("/account");
      expect(json).toEqual({ userId: "user_1", user: { name: "Zoë of user_1" } });
    });

    test("refuse everyone else with 401", async () => {
      const { open } = await setUpHere();
      const answer = await open().get("/account", { accept: "application/json" });
      expect([answer.status, answer.json.code]).toEqual([401, "login_required"]);
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
    });

    test("lead a browser to the login page, with its way back", async () => {
      const { open } = await setUpHere();
      const answer = await open().get("/account?tab=1&q=%C3%A4", { accept: "text/html,application/xhtml+xml" });
      expect(answer.status).toBe(303);
      expect(answer.headers.get("location")).toBe("/login?next=%2Faccount%3Ftab%3D1%26q%3D%25C3%25A4");
    });

    test("give a fault of the app's loadUser to the app's error path", async () => {
      const bench = await setUpHere({
        session: { loadUser: async () => Promise.reject(new Error("No users today.")), publicUser: () => undefined },
      });
      const setCookie = (await bench.doorcode.session.start({ userId: "user_1" })).setCookie;
      const browser = bench.open();
      const answer = await browser.get("/account", { cookie: setCookie.split(";")[0] ?? "" });
      expect([answer.status, answer.text]).toEqual([500, "the app's error page"]);
      expect(bench.faults).toEqual([new Error("No users today.")]);
    });

    test("answer 503 and not 401 while the store is down, and go on when it is back", async () => {
      const bench = await setUpHere();
      const browser = await bench.loggedIn();
      bench.outage.isOn = true;
      const down = await browser.get("/account");
      bench.outage.isOn = false;
      const up = await browser.get("/account");
      expect([down.status, down.json.code]).toEqual([503, "store_unavailable"]);
      expect(up.status).toBe(200);
      expect(bench.faults).toEqual([]);
    });

    test("L21: a logout makes every copy of the cookie worthless", async () => {
      const { loggedIn } = await setUpHere();
      const browser = await loggedIn();
      const copy = browser.copy();
      expect((await copy.get("/account")).status).toBe(200);
      expect((await browser.post("/login/logout")).status).toBe(200);
      expect((await copy.get("/account")).status).toBe(401);
      expect((await browser.get("/account")).status).toBe(401);
    });
  });

  describe.each(stores)("open routes, with sessions kept in $name", (store) => {
    const setUpHere = () => setUp(host, { app: createDeployment(store) });

    test("getSession tells who is logged in, or that nobody is", async () => {
      const { open, loggedIn } = await setUpHere();
      expect((await open().get("/who")).json).toEqual({ userId: null });
      expect((await (await loggedIn()).get("/who")).json).toEqual({ userId: "user_1" });
    });

    test("a mount reads the state of the login for the page that shows it", async () => {
      const { open } = await setUpHere();
      const browser = open();
      const before = await browser.get("/standing");
      const started = await browser.post("/login/start", { phone });
      const after = await browser.get("/standing");
      expect(before.json).toEqual({ status: "none" });
      expect(after.json).toEqual(started.json);
    });
  });
}
