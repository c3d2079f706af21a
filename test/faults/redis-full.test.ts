import { expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { casesOf, notTaken, openApp, refusalOf } from "./app.ts";
import { keysOf, tellingOf } from "./deliveries.ts";
import { describeOnRedis } from "./ground.ts";
import { logInThrough, type Outage, tight } from "./login-course.ts";
import { patience } from "./patience.ts";
import { deliverThrough } from "./webhook-course.ts";

describeOnRedis("a server that is full (maxmemory, noeviction)", (ground) => {
  const outage: Outage = {
    begin: () => ground().server.admin.config("SET", "maxmemory", "1"),
    end: () => ground().server.admin.config("SET", "maxmemory", "0"),
    // What reads or deletes needs no room.
    spares: ["cancel", "logout", "guarded request"],
  };

  test.each(casesOf(hosts))(
    "L24: a login on $on, codes owned by $owner, fails closed until there is room",
    async ({ host, codes }) => {
      const { store } = await ground().openStore({ direct: true });
      await logInThrough(await openApp(host, { codes, store, login: tight }), outage);
    },
  );

  test.each(hosts)("W9: webhooks on $name are refused until there is room", async (host) => {
    const { store } = await ground().openStore({ direct: true });
    await deliverThrough(await openApp(host, { store }), outage);
  });

  test.each(hosts)("W9: webhooks on $name are kept by no inbox, and wait in it, until there is room", async (host) => {
    const [queued, sent] = tellingOf("msg_1");
    const engine = await ground().openEngine();
    const app = await openApp(host, { store: engine.store, webhooks: { inbox: engine.inbox }, handle: engine.effect });
    await app.deliver(queued);
    await outage.begin();
    const full = await app.deliver(sent);
    await app.doorcode.work();
    await app.published("inbox.failed", 2);
    await outage.end();
    const after = await app.deliver(sent);
    await expect.poll(engine.effects, patience).toEqual(keysOf([queued, sent]));

    expect([refusalOf(full), after.status]).toEqual([notTaken, 204]);
    app.expectSilence();
  });
});
