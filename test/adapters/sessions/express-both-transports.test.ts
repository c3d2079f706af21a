import { expect, test } from "vitest";
import { createApp } from "../../../examples/browsers-and-phones/app.ts";
import { openPhoneApp } from "../../support/phone-app.ts";
import { createKit, phone, setUpOn } from "../adapter-setup.ts";
import { serveExpress } from "../serve-express.ts";

const otherPhone = "+4915123456780";

/** Serves the example, whose browsers have express-session and whose phones have tokens of the app. */
async function serve() {
  const kit = await createKit({ session: "the app's own" });
  return setUpOn(kit, await serveExpress(createApp(kit.doorcode, "a secret of the tests")));
}

test("with express-session and both transports, a phone gets the app's token and no cookie, and a browser no token", async () => {
  const { url, service, loggedIn } = await serve();
  const browser = await loggedIn();
  const phoneApp = openPhoneApp(url);
  await phoneApp.post("/login/start", { phone: otherPhone });
  const { json } = await phoneApp.post("/login/confirm", { code: service.code });
  const { token } = json.result as { token: string };
  const withToken = { authorization: `Bearer ${token}` };

  expect([...browser.cookies.keys()].filter((name) => !name.endsWith("-device"))).toEqual(["connect.sid"]);
  expect([phoneApp.tokens.transactionToken, phoneApp.tokens.sessionToken]).toEqual([expect.any(String), undefined]);
  expect((await phoneApp.get("/account", withToken)).json).toEqual({ id: "user_1" });
  expect((await phoneApp.get("/login/state", withToken)).json.status).toBe("logged_in");
  await phoneApp.post("/login/logout", {}, withToken);
  expect((await phoneApp.get("/account", withToken)).status).toBe(401);
  expect((await browser.get("/account")).status).toBe(200);
});

test("without Doorcode-Transport, a request with the app's token is one of a browser", async () => {
  const { url, service, open } = await serve();
  const phoneApp = openPhoneApp(url);
  await phoneApp.post("/login/start", { phone });
  const { json } = await phoneApp.post("/login/confirm", { code: service.code });
  const { token } = json.result as { token: string };
  const headers = { "sec-fetch-site": "same-origin", authorization: `Bearer ${token}` };
  const browser = open();
  const started = await browser.post("/login/start", { phone: otherPhone }, headers);

  expect((await browser.get("/account", headers)).status).toBe(401);
  expect([started.status, started.json.transactionToken]).toEqual([200, undefined]);
  expect([...browser.cookies.keys()]).toContainEqual(expect.stringMatching(/-transaction$/));
});
