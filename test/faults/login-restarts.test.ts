import { test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { codeOwners } from "../support/login-setup.ts";
import { pairwise } from "../support/pairwise.ts";
import { openApp } from "./app.ts";
import { logInThrough, tight } from "./login-through-outage.ts";
import { describeOnEachStore, ends, storeNames } from "./stoppable-server.ts";

const cases = pairwise({ on: storeNames, host: hosts, owner: codeOwners, end: ends });

describeOnEachStore("a login whose store is restarted", (server, name) => {
  test.each(cases.filter(({ on }) => on === name))(
    "L24: on $host.name, codes owned by $owner.owner, by $end: fails closed while the store is down, and becomes one login",
    async ({ host, owner: { codes }, end }) => {
      const { store, ready } = await server().openStore({ direct: true });
      const app = await openApp(host, { codes, store, login: tight });
      await logInThrough(app, {
        readsGoOn: server().readsGoOn,
        begin: server()[end],
        async end() {
          await server().start();
          await ready();
        },
      });
    },
  );
});
