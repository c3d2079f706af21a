import { expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { notAccepted, openApp, pairsOf, refusalOf } from "./app.ts";
import { deliverThrough } from "./deliver-through-outage.ts";
import { logInThrough, type Outage, tight } from "./login-through-outage.ts";
import { courseOf, keysOf } from "./message-course.ts";
import { describeOnRedis } from "./stoppable-server.ts";

describeOnRedis("a full server (maxmemory, noeviction)", (server) => {
  const outage: Outage = {
    begin: () => server().server.admin.config("SET", "maxmemory", "1"),
    end: () => server().server.admin.config("SET", "maxmemory", "0"),
    // Reading and deleting need no room.
    unaffected: ["cancel", "logout", "guarded request"],
  };

  test.each(pairsOf(hosts))(
    "L24: a login on $on, codes owned by $owner, fails closed until there is room",
    async ({ host, codes }) => {
      const { store } = await server().openStore({ direct: true });
      await logInThrough(await openApp(host, { codes, store, login: tight }), outage);
    },
  );

  test.each(hosts)("W9: webhooks on $name are refused until there is room", async (host) => {
    const { store } = await server().openStore({ direct: true });
    await deliverThrough(await openApp(host, { store }), outage);
  });

  test.each(hosts)(
    "W9: webhooks on $name are refused until there is room, and those in the inbox wait",
    async (host) => {
      const [queued, sent] = courseOf("msg_1");
      const engine = await server().openEngine();
      const app = await openApp(host, {
        store: engine.store,
        webhooks: { inbox: engine.inbox },
        handle: engine.effect,
      });
      await app.deliver(queued);
      await outage.begin();
      const full = await app.deliver(sent);
      await app.doorcode.work();
      await app.published("inbox.failed", 2);
      await outage.end();
      const after = await app.deliver(sent);
      await expect.poll(engine.effects).toEqual(keysOf([queued, sent]));

      expect([refusalOf(full), after.status]).toEqual([notAccepted, 204]);
      app.expectNoSecrets();
    },
  );
});
