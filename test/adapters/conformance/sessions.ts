import { describe, expect, test } from "vitest";
import { phone, setUp } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

/** Sessions of the app, without a library. The tests in `sessions` use the libraries of each framework. */
export function describeSessions(host: AdapterHost): void {
  describe("sessions of the app", () => {
    test("start after a right code, and the answer has the result of start", async () => {
      const started: unknown[] = [];
      const { open, service } = await setUp(host, {
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
      expect(right.json).toEqual({ status: "logged_in", userId: "user_1", result: { token: "t0ken" } });
      expect(started).toEqual([{ userId: "user_1", phone, purpose: "login", loginId: expect.any(String) }]);
      expect([...browser.cookies.keys()].sort()).toEqual(["early", "late", expect.stringMatching(/-device$/)]);
    });

    test("decide who is logged in, for the state and for pages", async () => {
      const { open } = await setUp(host, {
        sessions: { start: () => undefined, current: () => ({ userId: "user_7" }), end: () => undefined },
      });
      const expected = { status: "logged_in", userId: "user_7" };
      expect((await open().get("/login/state")).json).toEqual(expected);
      expect((await open().get("/standing")).json).toEqual(expected);
    });

    test("end with a logout", async () => {
      let ended = 0;
      const { open } = await setUp(host, {
        sessions: { start: () => undefined, current: () => undefined, end: () => void ended++ },
      });
      await open().post("/login/logout");
      expect(ended).toBe(1);
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
