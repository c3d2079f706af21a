import { describe, expect, test } from "vitest";
import { runProgram } from "../../support/document-program.ts";
import { type AdapterSetup, createKit, phone, setUpOn } from "../adapter-setup.ts";
import type { ServedApp } from "../host.ts";

const document = "packages/core/docs/own-sessions.md";

/** The program of a heading of the document: an app with its own sessions. */
export interface OwnSessionsApp<App> {
  readonly heading: string;
  /** The package that takes the place of another one, such as an older version of it. */
  readonly packages?: Readonly<Record<string, string>>;
  /** The cookie that carries the session. */
  readonly cookie: string;
  /** Adds `GET /visit`, which starts a session without a user, and serves the app. */
  serve(app: App): Promise<ServedApp>;
}

/** Serves the document's program, on the kit of a test. */
async function serveProgram<App>({ heading, packages = {}, serve }: OwnSessionsApp<App>): Promise<AdapterSetup> {
  const kit = await createKit({ session: "the app's own", login: { phoneOf: () => phone } });
  const modules = { doorcode: { doorcode: kit.doorcode } };
  const { app } = await runProgram<{ app: App }>({ document, heading, modules, packages });
  return setUpOn(kit, await serve(app));
}

/** Describes phone login with the sessions of an app. */
export function describeOwnSessions<App>(program: OwnSessionsApp<App>): void {
  const { heading, cookie, packages } = program;
  const serve = () => serveProgram(program);

  describe(`the document's app with ${[heading, ...Object.values(packages ?? {})].join(" and ")}`, () => {
    test("logs in with the session of the app, and the kit sets no session cookie", async () => {
      const { open, service } = await serve();
      const browser = open();
      await browser.post("/login/start", { phone });
      const confirmed = await browser.post("/login/confirm", { code: service.code });
      expect(confirmed.json).toMatchObject({ status: "logged_in", userId: "user_1" });
      expect((await browser.get("/account")).json).toEqual({ id: "user_1" });
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
      expect((await browser.get("/account")).status).toBe(200);
      expect((await planted.get("/account")).status).toBe(401);
    });

    test("logs out of the session of the app", async () => {
      const { loggedIn } = await serve();
      const browser = await loggedIn();
      await browser.post("/login/logout");
      expect((await browser.get("/account")).status).toBe(401);
      expect((await browser.get("/login/state")).json).toEqual({ status: "none", version: expect.any(String) });
    });

    test("guards its routes by the app's sessions", async () => {
      const { open } = await serve();
      const refused = await open().get("/account");
      const redirected = await open().get("/account?tab=1", { accept: "text/html" });
      expect([refused.status, refused.json.code]).toEqual([401, "login_required"]);
      expect([redirected.status, redirected.headers.get("location")]).toEqual([
        303,
        "/login?next=%2Faccount%3Ftab%3D1",
      ]);
    });

    test("asks for a new proof of the number when the app's session has an old one, and a step-up gives it", async () => {
      const { loggedIn, clock, service } = await serve();
      const browser = await loggedIn();
      await clock.advance(300_000);
      const recent = await browser.get("/transfer");
      await clock.advance(1);
      const refused = await browser.get("/transfer");
      const redirected = await browser.get("/transfer", { accept: "text/html" });
      await browser.post("/step-up/start");
      await browser.post("/step-up/confirm", { code: service.code });
      const proven = await browser.get("/transfer");

      expect(recent.status).toBe(200);
      expect([refused.status, refused.json.code]).toEqual([403, "proof_required"]);
      expect([redirected.status, redirected.headers.get("location")]).toEqual([303, "/step-up?next=%2Ftransfer"]);
      expect([proven.status, proven.json]).toEqual([200, { from: "user_1" }]);
    });
  });
}
