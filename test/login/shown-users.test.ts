import { createDoorcode, DoorcodeError } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { deployOn } from "../support/deployment.ts";
import { host } from "../support/hosts.ts";
import { newestCode, password, phone, setUpLogin } from "../support/login-setup.ts";

const loadUser = (id: string) => ({ id, notes: "for the app alone" });
const publicUser = ({ id }: { readonly id: string }) => ({ id });

describe("what a browser sees of its user", () => {
  /** Logs in to an app with these functions, and returns what the browser was shown then and later. */
  async function logIn(functions: object) {
    const session = { password, ...functions };
    const { started, service, events } = await setUpLogin(host, { options: { session: session as never } });
    const browser = await started();
    const confirmed = await browser.post("/login/confirm", { code: newestCode(service) });
    const state = await browser.get("/login/state");
    return { confirmed: confirmed.json, state: state.json, events };
  }

  const userId = `user of ${phone}`;

  test("the part that publicUser returns, after the login and later", async () => {
    const shown = { status: "logged_in", version: expect.any(String), userId, user: { id: userId } };
    expect(await logIn({ loadUser, publicUser })).toMatchObject({ confirmed: shown, state: shown });
  });

  test.each([
    ["without publicUser", { loadUser }],
    ["of a user that loadUser does not find: publicUser is not asked", { loadUser: () => null, publicUser }],
    ["of a user that no function loads: publicUser is not asked", { publicUser }],
  ])("nothing %s", async (_what, functions) => {
    const { confirmed } = await logIn(functions);
    expect(confirmed).toEqual({ status: "logged_in", version: expect.any(String), userId });
  });

  test.each(["loadUser", "publicUser", "label"])(
    "an error of the kit in %s leaves the login unfinished, and names the option",
    async (option) => {
      const thrown = () => {
        throw new DoorcodeError("service_unavailable");
      };
      const { confirmed, events } = await logIn({ loadUser, publicUser, [option]: thrown });
      const error = expect.objectContaining({ message: expect.stringMatching(new RegExp(`^session\\.${option} `)) });
      expect(confirmed.code).toBe("login_unfinished");
      expect(events).toContainEqual(expect.objectContaining({ type: "login.unfinished", error }));
    },
  );
});

test("a login gives its session the label that the app reads from the request", async () => {
  const app = deployOn(host);
  const label = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => `From ${headers.host}`;
  const { url, loggedIn } = await setUpLogin(host, { app, options: { session: { password, label } } });
  await loggedIn();
  const { session } = createDoorcode({ name: app.name, clock: app.clock, store: app.connect(), session: { password } });
  expect(await session.list(`user of ${phone}`)).toMatchObject([{ label: `From ${new URL(url).host}` }]);
});
