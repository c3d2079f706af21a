import { describe, expect, test } from "vitest";
import { type AdapterSetup, phone } from "../adapter-setup.ts";

/** An app with its own sessions. */
export interface OwnSessionsApp {
  readonly name: string;
  /** The cookie that carries the session. */
  readonly cookie: string;
  /** Serves the app: `GET /visit` starts a session without a user, `GET /me` answers `userId` or null. */
  serve(): Promise<AdapterSetup>;
}

/** Describes phone login with the sessions of an app. */
export function describeOwnSessions({ name, cookie, serve }: OwnSessionsApp): void {
  describe(`an app with ${name}`, () => {
    test("logs in with the session of the app, and the kit sets no session cookie", async () => {
      const { open, service } = await serve();
      const browser = open();
      await browser.post("/login/start", { phone });
      const confirmed = await browser.post("/login/confirm", { code: service.code });
      expect(confirmed.json).toMatchObject({ status: "logged_in", userId: "user_1" });
      expect((await browser.get("/me")).json).toEqual({ userId: "user_1" });
      expect((await browser.get("/login/state")).json).toEqual({
        status: "logged_in",
        version: expect.any(String),
        userId: "user_1",
      });

      expect([...browser.cookies.keys()].filter((key) => !key.endsWith("-device"))).toEqual([cookie]);
    });

    test("L26: its cookie and the kit's are set by the same answer", async () => {
      const { open } = await serve();
      const browser = open();
      await browser.get("/visit");
      await browser.post("/login/start", { phone });
      expect([...browser.cookies.keys()].filter((key) => key === cookie || key.endsWith("-transaction"))).toHaveLength(
        2,
      );
    });

    test("L20: the session from before the login does not become logged in", async () => {
      const { open, service } = await serve();
      const browser = open();
      await browser.get("/visit");
      const planted = browser.copy();
      await browser.post("/login/start", { phone });
      await browser.post("/login/confirm", { code: service.code });
      expect((await browser.get("/me")).json).toEqual({ userId: "user_1" });
      expect((await planted.get("/me")).json).toEqual({ userId: null });
    });

    test("logs out of the session of the app", async () => {
      const { open, service } = await serve();
      const browser = open();
      await browser.post("/login/start", { phone });
      await browser.post("/login/confirm", { code: service.code });
      await browser.post("/login/logout");
      expect((await browser.get("/me")).json).toEqual({ userId: null });
      expect((await browser.get("/login/state")).json).toEqual({ status: "none", version: expect.any(String) });
    });
  });
}
