import { createDoorcode } from "@doorcode/core";
import { expect, test } from "vitest";
import { deployOn } from "../support/deployment.ts";
import { hosts } from "../support/hosts.ts";
import { password, phone, setUpLogin } from "../support/login-setup.ts";

test.each(hosts)("a login gives its session the label that the app reads from the request, on $name", async (host) => {
  const app = deployOn(host);
  const label = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => `From ${headers.host}`;
  const { url, loggedIn } = await setUpLogin(host, { app, options: { session: { password, label } } });
  await loggedIn();
  const { session } = createDoorcode({ name: app.name, clock: app.clock, store: app.connect(), session: { password } });
  expect(await session.list(`user of ${phone}`)).toMatchObject([{ label: `From ${new URL(url).host}` }]);
});
