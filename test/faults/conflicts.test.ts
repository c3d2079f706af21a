import { randomUUID } from "node:crypto";
import { Pool } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { hosts } from "../support/hosts.ts";
import { newestCode, wrongCode } from "../support/login-setup.ts";
import { typesOf } from "../support/webhook-setup.ts";
import { casesOf, openApp } from "./app.ts";
import { tellingOf } from "./deliveries.ts";
import { describeOnPostgres } from "./ground.ts";
import { patience } from "./patience.ts";

describeOnPostgres("a database whose transactions are serializable", (ground) => {
  const open = async () => {
    const place = await ground().openStore();
    await place.admin.query("ALTER DATABASE postgres SET default_transaction_isolation = serializable");
    return { ...place, conflicts: place.wire.countSaid("C40001") };
  };

  describe.each(casesOf(hosts))("on $on, codes owned by $owner", ({ host, codes }) => {
    test("L2: five of fifty wrong codes that race are judged", async () => {
      const { store, conflicts } = await open();
      const app = await openApp(host, { codes, store });
      const browser = await app.started();
      const racing = Array.from({ length: 50 }, () =>
        browser.copy().post("/login/confirm", { code: wrongCode(app.service) }),
      );
      const answers = (await Promise.all(racing)).map(({ json }) => json.code);

      expect(answers.filter((code) => code === "code_rejected")).toHaveLength(5);
      expect(answers.filter((code) => code === "attempts_exhausted")).toHaveLength(45);
      expect(conflicts.times).toBeGreaterThan(0);
      app.expectSilence();
    });

    test("L2: one of twenty right codes that race logs in", async () => {
      const { store, conflicts } = await open();
      const app = await openApp(host, { codes, store });
      const browser = await app.started();
      const copies = Array.from({ length: 20 }, () => browser.copy());
      const racing = copies.map((copy) => copy.post("/login/confirm", { code: newestCode(app.service) }));
      const answers = await Promise.all(racing);
      const inside = await Promise.all(copies.map((copy) => copy.get("/account")));

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.map(({ status }) => status)).not.toContain(500);
      expect(inside.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(new Set(app.logins.map(({ loginId }) => loginId)).size).toBe(1);
      expect(conflicts.times).toBeGreaterThan(0);
      app.expectSilence();
    });
  });
});

describeOnPostgres("somebody who takes the rows of a number in the opposite order", (ground) => {
  test.each(hosts)("L2: on $name: the deadlock is repeated inside, and a wrong code counts once", async (host) => {
    // Whoever looks for deadlocks first is the one that loses.
    const options = "-c deadlock_timeout=1s";
    const { store, wire, table, admin } = await ground().openStore({ pool: { options }, timeoutSeconds: 15 });
    const app = await openApp(host, { store });
    const browser = await app.started();
    const wrong = () => browser.post("/login/confirm", { code: wrongCode(app.service) });
    await wrong();
    const deadlocks = wire.countSaid("C40P01");
    const take = (kind: string) => admin.query(`UPDATE ${table} SET count = count WHERE key LIKE '%:${kind}:%'`);
    await admin.query("BEGIN; SET LOCAL deadlock_timeout = '10s'");
    await take("failures");
    const counted = wrong();
    const isWaiting = async () => (await admin.query("SELECT 1 FROM pg_locks WHERE NOT granted")).rowCount;
    await expect.poll(isWaiting, patience).toBe(1);
    await take("failures-gate");
    await admin.query("COMMIT");
    const { json } = await counted;
    const { rows } = await admin.query(`SELECT count::int FROM ${table} WHERE key LIKE '%:failures%'`);

    expect([json.code, json.attemptsLeft, deadlocks.times]).toEqual(["code_rejected", 3, 1]);
    expect(rows).toEqual([{ count: 2 }, { count: 2 }]);
    app.expectSilence();
  });
});

describeOnPostgres("handlers in transactions that take the same rows in opposing order", (ground) => {
  test.each(hosts)("W8: on $name: the one that loses is repeated, and each effect stands once", async (host) => {
    const { store, transactions } = await ground().openEngine({ transactional: true });
    const admin = new Pool({ connectionString: ground().server.url, max: 1 });
    admin.on("error", () => undefined);
    onTestFinished(() => admin.end());
    const rows = `rows_${randomUUID().slice(0, 8)}`;
    await admin.query(`CREATE TABLE ${rows} AS SELECT id, 0 AS times FROM unnest(ARRAY['msg_1', 'msg_2']) AS id`);
    const meeting = createBarrier();
    const messages = ["msg_1", "msg_2"];
    const app = await openApp(host, {
      store,
      webhooks: { ...(transactions && { transactions }) },
      async handle({ data }, { client }) {
        const take = (id: unknown) => client?.query(`UPDATE ${rows} SET times = times + 1 WHERE id = $1`, [id]);
        await take(data.message_id);
        await meeting.pass();
        await take(messages.find((id) => id !== data.message_id));
      },
    });
    const delivering = messages.map((id) => app.deliver(tellingOf(id)[0]));
    await meeting.arrived(2);
    meeting.open();
    const answers = await Promise.all(delivering);
    const { rows: found } = await admin.query(`SELECT times FROM ${rows}`);

    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect(found).toEqual([{ times: 2 }, { times: 2 }]);
    expect(app.calls.entries).toHaveLength(3);
    expect(typesOf(app.events)).toEqual(["webhook.handled", "webhook.handled"]);
  });
});
