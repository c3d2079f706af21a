import { getSession, phoneLogin, requireLogin, sessionOf, webhooks } from "@doorcode/express";
import compression from "compression";
import type { Request, RequestHandler } from "express";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type ExpressVersion, expressVersions } from "../support/express-versions.ts";
import { openStores } from "../support/platforms.ts";
import { createKit, phone, setUpOn, signed } from "./adapter-setup.ts";
import { describeAdapter } from "./conformance.ts";
import { type AdapterHost, loginOptions } from "./host.ts";
import { serveExpress } from "./serve-express.ts";

const hostOf = ({ name, express }: ExpressVersion): AdapterHost => ({
  name,
  async serve(plan) {
    const { doorcode, sessions } = plan;
    const app = express();
    app.use(ownCookies);
    app.use("/webhooks", webhooks(doorcode));
    const login = phoneLogin(doorcode, loginOptions(plan));
    app.use("/login", login);
    // Below the mounts: requests of the kit never reach it.
    app.use(express.json());
    app.get("/login", (_req, res) => void res.send("the app's own page"));
    app.post(["/login/other", "/webhooks/other"], express.text(), (req, res) => void res.send(req.body));
    if (!sessions) {
      app.get("/account", requireLogin(doorcode, { loginPage: "/login" }), (req, res) => {
        const { userId, user } = req.doorcode;
        res.json({ userId, user });
      });
    }
    app.get(
      "/who",
      answers(async (req) => ({ userId: (await getSession(doorcode, req))?.userId ?? null })),
    );
    app.get(
      "/standing",
      answers((req) => login.state(req)),
    );
    app.get("/offered", (_req, res) => void res.json(login.offer));
    return serveExpress(app);
  },
});

/** Passes rejections on, as a route of Express 4 must. */
function answers(read: (req: Request) => Promise<unknown>): RequestHandler {
  return (req, res, next) => void read(req).then((value) => res.json(value), next);
}

const ownCookies: RequestHandler = (_req, res, next) => {
  res.cookie("early", "1");
  // As `on-headers` does it, and with it express-session.
  res.writeHead = new Proxy(res.writeHead, {
    apply(target, self, options) {
      res.cookie("late", "1");
      return Reflect.apply(target, self, options);
    },
  });
  next();
};

const stores = await openStores();
for (const version of expressVersions) describeAdapter(hostOf(version), stores);

describe.each(expressVersions)("body parsers above the mounts on $name", ({ express }) => {
  async function serveBelow(parser: RequestHandler) {
    const kit = await createKit();
    const app = express();
    app.use(parser);
    app.use("/webhooks", webhooks(kit.doorcode));
    app.use("/login", phoneLogin(kit.doorcode));
    return setUpOn(kit, await serveExpress(app));
  }

  const delivery = '{ "event":"message.status.update" , "data":{"n":1.0} }';

  test.each([
    ["express.raw()", express.raw({ type: "*/*" })],
    [
      "express.json() that keeps rawBody",
      express.json({ verify: (req, _res, bytes) => Object.assign(req, { rawBody: bytes }) }),
    ],
    ["express.json() for another media type", express.json({ type: "application/vnd.api+json" })],
  ])("W5: below %s a delivery keeps its exact bytes", async (_, parser) => {
    const { open, clock, handled } = await serveBelow(parser);
    const init = { method: "POST", headers: signed(delivery, clock.now()), body: delivery };
    expect((await open().send("/webhooks", init)).status).toBe(204);
    expect(handled).toEqual([{ n: 1 }]);
  });

  test.each([
    ["express.json()", express.json()],
    ["express.text()", express.text({ type: "*/*" })],
    ["a reader that keeps nothing", drain],
  ])("W5: below %s a delivery is an error with a code of its own, and one warning", async (_, parser) => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    const { open, clock, events, handled } = await serveBelow(parser);
    const init = { method: "POST", headers: signed(delivery, clock.now()), body: delivery };
    const answers = [await open().send("/webhooks", init), await open().send("/webhooks", init)];
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(Array(2).fill([500, "body_already_read"]));
    expect(answers[0]?.text).toContain("express.json()");
    expect(events).toContainEqual({ type: "webhook.body_already_read" });
    expect(handled).toEqual([]);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test.each([
    ["express.json()", express.json(), "application/json", JSON.stringify({ phone })],
    [
      "express.urlencoded()",
      express.urlencoded({ extended: false }),
      "application/x-www-form-urlencoded",
      new URLSearchParams({ phone, country: "", channel: "" }).toString(),
    ],
    ["express.raw()", express.raw({ type: "*/*" }), "application/json", JSON.stringify({ phone })],
  ])("a login reads the body that %s parsed", async (_, parser, type, body) => {
    const { open, service } = await serveBelow(parser);
    const headers = { "content-type": type, "sec-fetch-site": "same-origin" };
    const answer = await open().send("/login/start", { method: "POST", headers, body });
    expect(answer.status).toBeLessThan(400);
    expect(service.created).toMatchObject([{ recipient: phone }]);
  });

  test("a login whose body is lost is an error with a code of its own", async () => {
    const { open } = await serveBelow(drain);
    const answer = await open().post("/login/start", { phone });
    expect([answer.status, answer.json.code]).toEqual([500, "body_already_read"]);
  });
});

describe.each(expressVersions)("sessionOf on $name", ({ express }) => {
  async function serveMembers() {
    const kit = await createKit();
    const app = express();
    app.use("/login", phoneLogin(kit.doorcode));
    const members = express.Router();
    members.use(requireLogin(kit.doorcode));
    members.get("/me", (req, res) => void res.json({ userId: sessionOf(req).userId }));
    app.use("/members", members);
    app.get("/open", (req, res) => void res.json({ userId: sessionOf(req).userId }));
    return setUpOn(kit, await serveExpress(app));
  }

  test("returns the session behind a guard that a whole router shares", async () => {
    const { open, loggedIn } = await serveMembers();
    expect((await open().get("/members/me")).status).toBe(401);
    expect((await (await loggedIn()).get("/members/me")).json).toEqual({ userId: "user_1" });
  });

  test("asks for a guard on a route without one, even of a user who is logged in", async () => {
    const { loggedIn, faults } = await serveMembers();
    expect((await (await loggedIn()).get("/open")).status).toBe(500);
    expect(faults).toMatchObject([{ message: expect.stringMatching(/Put requireLogin\(doorcode\) in front/) }]);
  });
});

test.each(expressVersions)(
  "a guard below a router on $name sends a browser to the login with its whole way back",
  async ({ express }) => {
    const { doorcode } = await createKit();
    const members = express
      .Router()
      .get("/me", requireLogin(doorcode, { loginPage: "/login" }), (_req, res) => void res.end());
    const { url, close } = await serveExpress(express().use("/members", members));
    onTestFinished(close);
    const headers = { accept: "text/html", "sec-fetch-mode": "navigate" };
    const answer = await fetch(`${url}/members/me?tab=1`, { headers, redirect: "manual" });
    expect(answer.headers.get("location")).toBe("/login?next=%2Fmembers%2Fme%3Ftab%3D1");
  },
);

const drain: RequestHandler = (req, _res, next) => {
  req.resume().once("end", () => next());
};

test.each(expressVersions)(
  "a request for the state that waits passes `compression` on $name at once and as a whole",
  async ({ express }) => {
    const kit = await createKit();
    const app = express();
    app.use(compression({ threshold: 0 }));
    app.use("/login", phoneLogin(kit.doorcode));
    const { open, clock } = setUpOn(kit, await serveExpress(app));
    const browser = open();
    const { json } = await browser.post("/login/start", { phone });
    const asked = browser.get(`/login/state?after=${json.version}&waitSeconds=20`);
    await expect.poll(() => clock.pending).toBe(2);
    await browser.copy().post("/login/cancel");
    const { headers, json: state } = await asked;
    expect([state.status, headers.get("content-encoding")]).toEqual(["none", null]);
  },
);
