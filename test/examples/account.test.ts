import { createServer } from "node:http";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import supertest from "supertest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApp } from "../../examples/account/app.ts";
import { type ListeningServer, listen } from "../support/listen.ts";

let sandbox: Sandbox;
let app: ListeningServer;

beforeAll(async () => {
  sandbox = await createSandbox({ port: 0 });
  app = await listen(createServer(createApp(sandbox.env, { clock: sandbox.clock })));
});
afterAll(async () => {
  await app.close();
  await sandbox.close();
});

/** A browser without scripts. */
function open() {
  const agent = supertest.agent(app.url).set("sec-fetch-site", "same-origin").set("accept", "text/html");
  const submit = (path: string, fields: object = {}) => agent.post(path).type("form").send(fields);

  /** Submits the two forms of a mount. */
  async function prove(path: string, phone: string, fields: object = { phone }) {
    await sandbox.clock.advance("1m");
    await submit(`${path}/start`, fields);
    const { code } = await sandbox.inbox.wait({ to: phone });
    return submit(`${path}/confirm`, { code, ...fields });
  }
  return { get: (path: string) => agent.get(path), submit, prove };
}

const locationOf = ({ status, headers }: { status: number; headers: Record<string, string> }) => [
  status,
  headers.location,
];

test("lists where the user is logged in, and logs out everywhere else", async () => {
  const phone = "+4915123456111";
  const [laptop, phoneBrowser] = [open(), open()];
  await phoneBrowser.prove("/login", phone);
  await laptop.prove("/login", phone);
  const listed = (await laptop.get("/account")).text;
  await laptop.submit("/account/end-others");

  expect(listed.match(/last used|this browser/g)).toEqual(["this browser", "last used"]);
  expect((await laptop.get("/account")).text).not.toContain("last used");
  expect(locationOf(await phoneBrowser.get("/account"))).toEqual([303, "/login?next=%2Faccount"]);
});

test("adds a second number after a recent proof of the first, and both log in to the same account", async () => {
  const [first, second] = ["+4915123456112", "+4915123456113"];
  const browser = open();
  await browser.prove("/login", first);
  await sandbox.clock.advance("16m");
  const asked = locationOf(await browser.get("/second-number"));
  const back = locationOf(await browser.prove("/step-up", first, { next: "/second-number" }));
  const page = (await browser.get("/second-number")).text;
  const added = locationOf(await browser.prove("/second-number", second));
  const other = open();
  await other.prove("/login", second);

  expect(asked).toEqual([303, "/step-up?next=%2Fsecond-number"]);
  expect(back).toEqual([303, "/second-number"]);
  expect(page).toContain('action="/second-number/start"');
  expect(added).toEqual([303, "/account"]);
  for (const { get } of [browser, other])
    expect((await get("/account")).text).toMatch(/\+4915123456112.*\+4915123456113/s);
});

test("removes a number, but not the last one, and ends the other sessions", async () => {
  const [first, second] = ["+4915123456117", "+4915123456118"];
  const [browser, other] = [open(), open()];
  await browser.prove("/login", first);
  await browser.prove("/second-number", second);
  await other.prove("/login", second);
  const page = (await browser.get("/second-number")).text;
  const removed = locationOf(await browser.submit("/second-number/remove", { phone: first }));
  const refused = locationOf(await browser.submit("/second-number/remove", { phone: second }));
  const explained = (await browser.get(refused[1] as string)).text;

  expect(page).toContain("Remove +4915123456117");
  expect(removed).toEqual([303, "/account"]);
  expect(refused).toEqual([303, "/second-number?problem=last_way_in"]);
  expect(explained).toContain("This number is the last way into your account.");
  expect((await browser.get("/account")).text).toContain("You are logged in as <strong>+4915123456118");
  expect(locationOf(await other.get("/account"))).toEqual([303, "/login?next=%2Faccount"]);
});

test("a number of another account is refused", async () => {
  const [own, foreign] = ["+4915123456114", "+4915123456115"];
  await open().prove("/login", foreign);
  const browser = open();
  await browser.prove("/login", own);
  expect(locationOf(await browser.prove("/second-number", foreign))).toEqual([
    303,
    "/second-number?problem=login_refused",
  ]);
});

test("deletes the account after a proof that is not older than five minutes", async () => {
  const phone = "+4915123456116";
  const browser = open();
  await browser.prove("/login", phone);
  await sandbox.clock.advance("6m");
  const early = await browser.submit("/account/delete");
  const asked = locationOf(await browser.get("/account/delete"));
  await browser.prove("/step-up", phone, { next: "/account/delete" });
  const deleted = locationOf(await browser.submit("/account/delete"));

  expect(early.status).toBe(403);
  expect(asked).toEqual([303, "/step-up?next=%2Faccount%2Fdelete"]);
  expect(deleted).toEqual([303, "/login"]);
  expect(locationOf(await browser.get("/account"))).toEqual([303, "/login?next=%2Faccount"]);
});
