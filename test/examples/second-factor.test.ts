import { createProofVerifier } from "@doorcode/core";
import { phoneLogin, requireLogin } from "@doorcode/express";
import express from "express";
import { expect, test, vi } from "vitest";
import { createApp } from "../../examples/second-factor/app.ts";
import { type AdapterSetup, createKit, password, phone, setUpOn } from "../adapters/adapter-setup.ts";
import { serveExpress } from "../adapters/serve-express.ts";
import { createDeployment } from "../support/deployment.ts";

/** Serves the example for a user with a second factor, or without. */
async function serveExample(hasSecondFactor: boolean): Promise<AdapterSetup> {
  const kit = await createKit({ session: "the app's own" });
  const secondFactor = {
    isOn: async () => hasSecondFactor,
    isRight: async (userId: string, code: unknown) => userId === "user_1" && code === "246810",
  };
  return setUpOn(kit, await serveExpress(createApp(kit.doorcode, secondFactor, "a secret of the tests")));
}

test("a right code of a user with a second factor opens no guarded page before the second step", async () => {
  const { open, service } = await serveExample(true);
  const browser = open();
  await browser.post("/login/start", { phone });
  const confirmed = await browser.post("/login/confirm", { code: service.code });
  const guarded = await browser.get("/account", { accept: "text/html" });

  expect(confirmed.json).toMatchObject({ status: "logged_in", result: { secondFactor: true } });
  expect((await browser.get("/account")).status).toBe(401);
  expect((await browser.get("/login/state")).json.status).toBe("none");
  expect(guarded.headers.get("location")).toBe("/second-factor?next=%2Faccount");
  expect((await browser.get("/second-factor")).text).toContain("<form");
  await browser.submit("/second-factor", { code: "000000" });
  expect((await browser.get("/account")).status).toBe(401);
});

test("the second step logs in, under another id than the session that waited", async () => {
  const { loggedIn } = await serveExample(true);
  const browser = await loggedIn();
  const waiting = browser.copy();
  const passed = await browser.submit("/second-factor", { code: "246810" });
  expect(passed.headers.get("location")).toBe("/account");
  expect((await browser.get("/account")).json).toEqual({ id: "user_1" });
  expect((await waiting.get("/account")).status).toBe(401);
});

test("the second step waits for ten minutes, and for nobody without the first step", async () => {
  const { loggedIn, open } = await serveExample(true);
  const browser = await loggedIn();
  const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 600_001);
  const late = await browser.submit("/second-factor", { code: "246810" });
  now.mockRestore();
  const stranger = await open().submit("/second-factor", { code: "246810" });
  const redirected = await open().get("/second-factor?next=%2Faccount");
  expect([late, stranger, redirected].map(({ headers }) => headers.get("location"))).toEqual([
    "/login",
    "/login",
    "/login?next=%2Faccount",
  ]);
  expect((await browser.get("/account")).status).toBe(401);
});

test("a user without a second factor is logged in by the code alone", async () => {
  const { loggedIn } = await serveExample(false);
  expect((await (await loggedIn()).get("/account")).json).toEqual({ id: "user_1" });
});

test("with the kit's sessions, a route that reads the proof of a number and the second factor together logs in", async () => {
  const deployment = createDeployment();
  const kit = await createKit({ app: deployment });
  const { doorcode, clock } = kit;
  const verifyProof = createProofVerifier({ password, audience: "login", name: deployment.name, clock });
  const app = express();
  app.use("/verify", phoneLogin(doorcode, { purpose: "verify", proof: { audience: "login" } }));
  app.post("/enter", express.json(), async (req, res) => {
    const proven = await verifyProof(req.body.proof);
    if (proven.phone !== phone || req.body.code !== "246810") return void res.sendStatus(403);
    const { setCookie } = await doorcode.session.start({ userId: "user_1", provenAt: clock.now() });
    return void res.append("set-cookie", setCookie).json({});
  });
  const needsProof = requireLogin(doorcode, { provenWithinSeconds: 300 });
  app.get("/account", needsProof, (req, res) => void res.json({ id: req.doorcode.userId }));
  const { open, service } = setUpOn(kit, await serveExpress(app));
  const browser = open();
  await browser.post("/verify/start", { phone });
  const { json } = await browser.post("/verify/confirm", { code: service.code });
  const wrong = await browser.post("/enter", { proof: json.proof, code: "000000" });
  const before = await browser.get("/account");
  const right = await browser.post("/enter", { proof: json.proof, code: "246810" });

  expect([wrong.status, before.status, right.status]).toEqual([403, 401, 200]);
  expect((await browser.get("/account")).json).toEqual({ id: "user_1" });
});

test("a session after a password opens a guarded page when the step-up has proven the number", async () => {
  const kit = await createKit({ login: { phoneOf: () => phone } });
  const { doorcode } = kit;
  const app = express();
  app.post("/password", async (_req, res) => {
    const { setCookie } = await doorcode.session.start({ userId: "user_1" });
    res.append("set-cookie", setCookie).json({});
  });
  app.use("/step-up", phoneLogin(doorcode, { purpose: "step_up", forms: { page: "/step-up" } }));
  const needsBoth = requireLogin(doorcode, { provenWithinSeconds: 1_209_600, stepUpPage: "/step-up" });
  app.get("/account", needsBoth, (req, res) => void res.json({ id: req.doorcode.userId }));
  const { open, service } = setUpOn(kit, await serveExpress(app));
  const browser = open();
  await browser.post("/password");
  const refused = await browser.get("/account");
  await browser.post("/step-up/start");
  await browser.post("/step-up/confirm", { code: service.code });
  expect([refused.status, refused.json.code]).toEqual([403, "proof_required"]);
  expect((await browser.get("/account")).json).toEqual({ id: "user_1" });
});
