import { DoorcodeError } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { phone, setUp } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

/** Sessions of the app, without a library. The tests in `sessions` use the libraries of each framework. */
export function describeSessions(host: AdapterHost): void {
  describe("sessions of the app", () => {
    test("start after a right code, and the answer has the result of start", async () => {
      const started: unknown[] = [];
      const { open, service, clock } = await setUp(host, {
        sessions: {
          start(login) {
            started.push(login);
            return { token: "t0ken" };
          },
          current: () => undefined,
          end: () => undefined,
        },
      });
      const browser = open();
      await browser.post("/login/start", { phone });
      const wrong = await browser.post("/login/confirm", { code: "000000" });
      expect([wrong.json.code, started]).toEqual(["code_rejected", []]);

      const right = await browser.post("/login/confirm", { code: service.code });
      expect(right.json).toMatchObject({ status: "logged_in", userId: "user_1", result: { token: "t0ken" } });
      expect(started).toEqual([
        {
          userId: "user_1",
          phone,
          purpose: "login",
          loginId: expect.any(String),
          provenAt: clock.now(),
          provenBy: "phone",
        },
      ]);
      expect([...browser.cookies.keys()].sort()).toEqual(["early", "late", expect.stringMatching(/-device$/)]);
    });

    test("decide who is logged in, for the state and for pages", async () => {
      const { open } = await setUp(host, {
        sessions: { start: () => undefined, current: () => ({ userId: "user_7" }), end: () => undefined },
      });
      const expected = { status: "logged_in", version: expect.any(String), userId: "user_7" };
      expect((await open().get("/login/state")).json).toEqual(expected);
      expect((await open().get("/standing")).json).toEqual(expected);
      const started = await open().post("/login/start", { phone });
      expect(started.json).toMatchObject({ status: "code_sent", userId: "user_7" });
    });

    test("end with a logout", async () => {
      let ended = 0;
      const { open } = await setUp(host, {
        sessions: { start: () => undefined, current: () => undefined, end: () => void ended++ },
      });
      const { headers } = await open().post("/login/logout");
      expect(ended).toBe(1);
      expect(
        headers
          .getSetCookie()
          .map((cookie) => cookie.split("=")[0])
          .sort(),
      ).toEqual(["early", "late"]);
    });

    test("end again if the login that they were started for fails after all", async () => {
      const calls: string[] = [];
      const { open, service, failing } = await setUp(host, {
        sessions: {
          start: () => void calls.push("start"),
          current: () => undefined,
          end: () => void calls.push("end"),
        },
      });
      const browser = open();
      await browser.post("/login/start", { phone });
      failing.failOn(({ what }) => what === "settle transaction");
      const failed = await browser.post("/login/confirm", { code: service.code });
      expect([failed.status, failed.json.code, calls]).toEqual([503, "store_unavailable", ["start", "end"]]);
    });

    test("an error of the kit that one of their functions threw names the function", async () => {
      const thrown = () => {
        throw new DoorcodeError("service_unavailable");
      };
      const failing = { current: false };
      const { open, service, events, faults } = await setUp(host, {
        sessions: { start: thrown, current: () => (failing.current ? thrown() : undefined), end: thrown },
      });
      const browser = open();
      await browser.post("/login/start", { phone });
      const confirmed = await browser.post("/login/confirm", { code: service.code });
      await browser.post("/login/logout");
      failing.current = true;
      await browser.get("/login/state");

      expect(confirmed.json.code).toBe("login_unfinished");
      expect(events.find(({ type }) => type === "login.unfinished")).toMatchObject({
        error: { message: expect.stringMatching(/^session\.start /) },
      });
      expect(faults).toMatchObject([
        { message: expect.stringMatching(/^session\.end /) },
        { message: expect.stringMatching(/^session\.current /) },
      ]);
    });

    test("an error of theirs reaches the error handler of the app", async () => {
      const fault = new Error("The sessions cannot be reached.");
      const { open, faults } = await setUp(host, {
        sessions: { start: () => undefined, current: async () => Promise.reject(fault), end: () => undefined },
      });
      const answer = await open().get("/login/state");
      expect([answer.status, answer.text]).toEqual([500, "the app's error page"]);
      expect(faults).toEqual([fault]);
    });
  });
}
