import { expect, test } from "vitest";
import { runProgram } from "../support/document-program.ts";
import { hosts } from "../support/hosts.ts";
import { newestCode, password, phone, setUpLogin } from "../support/login-setup.ts";

/** The program for native apps, as core's document shows it. */
interface NativeApp {
  logIn(
    api: string,
    phone: string,
    askForCode: () => Promise<string>,
    deviceToken?: string,
  ): Promise<Record<"userId" | "sessionToken" | "deviceToken", string>>;
  call(api: string, path: string, sessionToken: string): Promise<Response>;
  logOut(api: string, sessionToken: string): Promise<void>;
}

test.each(hosts)("the program that core's document has for native apps logs in and out, on $name", async (host) => {
  const known: boolean[] = [];
  const { url, service, clock } = await setUpLogin(host, {
    options: { session: { password, transport: "both" } },
    login: {
      onLogin: ({ knownDevice }) => {
        known.push(knownDevice);
        return "user_1";
      },
    },
  });
  const app = await runProgram<NativeApp>({ document: "packages/core/docs/native-apps.md", modules: {} });
  const askForCode = async () => newestCode(service);
  const first = await app.logIn(url, phone, askForCode);
  const allowed = await app.call(url, "/account", first.sessionToken);
  await app.logOut(url, first.sessionToken);
  const refused = await app.call(url, "/account", first.sessionToken);
  await clock.advance(1000);
  await app.logIn(url, phone, askForCode, first.deviceToken);

  expect([first.userId, allowed.status, refused.status]).toEqual(["user_1", 200, 401]);
  expect(known).toEqual([false, true]);
  await expect(app.logIn(url, "nothing", askForCode)).rejects.toThrow("phone_invalid");
});
