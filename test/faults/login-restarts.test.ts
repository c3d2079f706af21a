import { describe, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { casesOf, openApp } from "./app.ts";
import { describeOnEach, ends } from "./ground.ts";
import { logInThrough, tight } from "./login-course.ts";

describeOnEach("a store that is restarted in the middle of a login", (ground) => {
  describe.each(casesOf(hosts))("on $on, codes owned by $owner", ({ host, codes }) => {
    test.each(ends)("L24: by %s: fails closed while it is away, and goes on to one login", async (end) => {
      const { store, ready } = await ground().openStore({ direct: true });
      const app = await openApp(host, { codes, store, login: tight });
      await logInThrough(app, {
        begin: ground()[end],
        async end() {
          await ground().start();
          await ready();
        },
      });
    });
  });
});
