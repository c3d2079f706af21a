import { DoorcodeError } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { createDeployment } from "../../support/deployment.ts";
import { testedMemory } from "../../support/tested-memory.ts";
import type { TestedStore } from "../../support/tested-store.ts";
import { type KitOptions, phone, setUp } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

/** Guarded routes, and routes that only ask for the session. */
export function describeGuard(host: AdapterHost, stores: readonly TestedStore[]): void {
  describe("guarded routes", () => {
    const setUpHere = (options: KitOptions = {}) => setUp(host, { app: createDeployment(testedMemory), ...options });

    test("receive the id and the user of the session", async () => {
      const { loggedIn } = await setUpHere();
      const { json } = await (await loggedIn()).get("/account");
      expect(json).toEqual({ userId: "user_1", user: { name: "Zoë of user_1" } });
    });

    test("answer 401 without a session", async () => {
      const { open } = await setUpHere();
      const answer = await open().get("/account", { accept: "application/json" });
      expect([answer.status, answer.json.code]).toEqual([401, "login_required"]);
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
    });

    test("redirect a browser to the login page, with the requested path as next", async () => {
      const { open } = await setUpHere();
      const answer = await open().get("/account?tab=1&q=%C3%A4", { accept: "text/html,application/xhtml+xml" });
      expect(answer.status).toBe(303);
      expect(answer.headers.get("location")).toBe("/login?next=%2Faccount%3Ftab%3D1%26q%3D%25C3%25A4");
    });

    test("pass an error of loadUser to the error handler of the app", async () => {
      const { doorcode, open, faults } = await setUpHere({
        session: { loadUser: async () => Promise.reject(new Error("No users today.")), publicUser: () => undefined },
      });
      const { setCookie } = await doorcode.session.start({ userId: "user_1" });
      const answer = await open().get("/account", { cookie: setCookie.split(";")[0] ?? "" });
      expect([answer.status, answer.text]).toEqual([500, "the app's error page"]);
      expect(faults).toEqual([new Error("No users today.")]);
    });

    // In Express, `next()` and `next("route")` are no errors, and go on to the route.
    test.each([undefined, "route", "router"])(
      "are not reached when loadUser is rejected with %s instead of an error",
      async (reason) => {
        const { doorcode, open, faults } = await setUpHere({
          session: { loadUser: async () => Promise.reject(reason), publicUser: () => undefined },
        });
        const { setCookie } = await doorcode.session.start({ userId: "user_1" });
        const answer = await open().get("/account", { cookie: setCookie.split(";")[0] ?? "" });
        expect(answer.status).toBe(500);
        // What a route throws that is reached without a session.
        expect(faults.filter((fault) => fault instanceof TypeError)).toEqual([]);
      },
    );

    test("name loadUser to the error handler when it threw an error of the kit", async () => {
      const loadUser = async () => Promise.reject(new DoorcodeError("service_unavailable"));
      const { doorcode, open, faults } = await setUpHere({ session: { loadUser, publicUser: () => undefined } });
      const { setCookie } = await doorcode.session.start({ userId: "user_1" });
      const answer = await open().get("/account", { cookie: setCookie.split(";")[0] ?? "" });
      expect(answer.status).toBe(500);
      expect(faults).toMatchObject([{ message: expect.stringMatching(/^session\.loadUser /) }]);
    });
  });

  describe("routes that ask for the session", () => {
    test("getSession returns the session, or undefined without one", async () => {
      const { open, loggedIn } = await setUp(host);
      expect((await open().get("/who")).json).toEqual({ userId: null });
      expect((await (await loggedIn()).get("/who")).json).toEqual({ userId: "user_1" });
    });

    test("the mount returns the state of the login for a page of the app", async () => {
      const { open } = await setUp(host);
      const browser = open();
      const before = await browser.get("/standing");
      const started = await browser.post("/login/start", { phone });
      const after = await browser.get("/standing");
      expect(before.json).toEqual({ status: "none", version: expect.any(String) });
      const { number, ...state } = started.json;
      expect(after.json).toEqual(state);
      expect(number).toBe("+49 1512 3456789");
    });
  });

  describe.each(stores)("sessions in $name", (store) => {
    const setUpHere = () => setUp(host, { app: createDeployment(store) });

    test("L24: guarded routes answer 503 and not 401 while the store is down, and work again after it", async () => {
      const { loggedIn, failing, faults } = await setUpHere();
      const browser = await loggedIn();
      failing.failOn();
      const down = await browser.get("/account");
      failing.repair();
      const up = await browser.get("/account");
      expect([down.status, down.json.code]).toEqual([503, "store_unavailable"]);
      expect(up.status).toBe(200);
      expect(faults).toEqual([]);
    });

    test("L21: a logout invalidates every copy of the cookie", async () => {
      const { loggedIn } = await setUpHere();
      const browser = await loggedIn();
      const copy = browser.copy();
      expect((await copy.get("/account")).status).toBe(200);
      expect((await browser.post("/login/logout")).status).toBe(200);
      expect((await copy.get("/account")).status).toBe(401);
      expect((await browser.get("/account")).status).toBe(401);
    });
  });
}
