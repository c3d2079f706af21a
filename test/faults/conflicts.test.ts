import { randomUUID } from "node:crypto";
import type { Store } from "@doorcode/core/store";
import { Pool } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import type { Answer } from "../support/browser.ts";
import { hosts } from "../support/hosts.ts";
import { newestCode, wrongCode } from "../support/login-setup.ts";
import { noteKeys, postgresKey } from "../support/postgres-key.ts";
import { typesOf } from "../support/webhook-setup.ts";
import { openApp, pairsOf } from "./app.ts";
import { courseOf } from "./message-course.ts";
import { describeOnPostgres } from "./stoppable-server.ts";

/** Lets a test find the rows of a store by what their keys are. */
function withPrimaryKeys(inner: Store): { readonly store: Store; primaryKeys(kind: RegExp): readonly string[] } {
  const noted = new Set<string>();
  return {
    store: noteKeys(inner, noted),
    primaryKeys: (kind) => [...noted].filter((key) => kind.test(key)).map(postgresKey),
  };
}

describeOnPostgres("codes that race in serializable transactions", (server) => {
  const open = async () => {
    const own = await server().openStore({ pool: { options: "-c default_transaction_isolation=serializable" } });
    return { ...own, ...withPrimaryKeys(own.store), conflicts: own.proxy.countSent("C40001") };
  };

  /** Sends a wrong code, and then all others, each of which finds the row of the attempts changed by another transaction. */
  async function conflict(
    { admin, table, primaryKeys }: Pick<Awaited<ReturnType<typeof open>>, "admin" | "table" | "primaryKeys">,
    first: () => Promise<Answer>,
    others: readonly (() => Promise<Answer>)[],
  ): Promise<readonly Answer[]> {
    const answered = await first();
    await admin.query("BEGIN");
    await admin.query(`UPDATE ${table} SET count = count WHERE key = ANY($1)`, [primaryKeys(/:attempts$/)]);
    const racing = others.map((post) => post());
    const isWaiting = async () => (await admin.query("SELECT 1 FROM pg_locks WHERE NOT granted")).rowCount;
    await expect.poll(isWaiting).toBeGreaterThan(0);
    await admin.query("COMMIT");
    return [answered, ...(await Promise.all(racing))];
  }

  describe.each(pairsOf(hosts))("on $on, codes owned by $owner", ({ host, codes }) => {
    test("L2: five of fifty wrong codes are checked", async () => {
      const { conflicts, ...own } = await open();
      const app = await openApp(host, { codes, store: own.store });
      const browser = await app.started();
      const wrong = () => browser.copy().post("/login/confirm", { code: wrongCode(app.service) });
      const racing = await conflict(
        own,
        wrong,
        Array.from({ length: 49 }, () => wrong),
      );
      const answers = racing.map(({ json }) => json.code);

      expect(answers.filter((code) => code === "code_rejected")).toHaveLength(5);
      expect(answers.filter((code) => code === "attempts_exhausted")).toHaveLength(45);
      expect(conflicts.times).toBeGreaterThan(0);
      app.expectNoSecrets();
    });

    test("L2: one of twenty right codes logs in", async () => {
      const { conflicts, ...own } = await open();
      const app = await openApp(host, { codes, store: own.store });
      const browser = await app.started();
      const wrong = () => browser.post("/login/confirm", { code: wrongCode(app.service) });
      const copies = Array.from({ length: 20 }, () => browser.copy());
      const right = copies.map((copy) => () => copy.post("/login/confirm", { code: newestCode(app.service) }));
      const answers = await conflict(own, wrong, right);
      const inside = await Promise.all(copies.map((copy) => copy.get("/account")));

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.map(({ status }) => status)).not.toContain(500);
      expect(inside.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(new Set(app.logins.map(({ loginId }) => loginId)).size).toBe(1);
      expect(conflicts.times).toBeGreaterThan(0);
      app.expectNoSecrets();
    });
  });
});

describeOnPostgres(
  "a wrong code while another transaction locks the rows of its number in the opposite order",
  (server) => {
    test.each(hosts)("L2: on $name: is repeated after the deadlock, and counts once", async (host) => {
      // PostgreSQL aborts the transaction that looks for deadlocks first.
      const options = "-c deadlock_timeout=100ms";
      const { proxy, table, admin, ...own } = await server().openStore({ pool: { options }, timeoutSeconds: 15 });
      const { store, primaryKeys } = withPrimaryKeys(own.store);
      const app = await openApp(host, { store });
      const browser = await app.started();
      const wrong = () => browser.post("/login/confirm", { code: wrongCode(app.service) });
      await wrong();
      const deadlocks = proxy.countSent("C40P01");
      // The store locks rows in the order of their digests.
      const [first, second] = primaryKeys(/:failures(-gate)?:/).toSorted();
      const take = (key = "") => admin.query(`UPDATE ${table} SET count = count WHERE key = $1`, [key]);
      await admin.query("BEGIN; SET LOCAL deadlock_timeout = '10s'");
      await take(second);
      const counted = wrong();
      const isWaiting = async () => (await admin.query("SELECT 1 FROM pg_locks WHERE NOT granted")).rowCount;
      await expect.poll(isWaiting).toBe(1);
      await take(first);
      await admin.query("COMMIT");
      const { json } = await counted;
      const { rows } = await admin.query(`SELECT count::int FROM ${table} WHERE key = ANY($1)`, [
        primaryKeys(/:failures/),
      ]);

      expect([json.code, json.attemptsLeft, deadlocks.times]).toEqual(["code_rejected", 3, 1]);
      // In a row, in ten minutes, and of the address.
      expect(rows).toEqual([{ count: 2 }, { count: 2 }, { count: 2 }]);
      app.expectNoSecrets();
    });
  },
);

describeOnPostgres("handlers whose transactions lock the same rows in the opposite order", (server) => {
  test.each(hosts)("W8: on $name: are repeated after the deadlock, and each has its effect once", async (host) => {
    const { store, transactions } = await server().openEngine({ transactional: true });
    const admin = new Pool({ connectionString: server().server.url, max: 1 });
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
    const delivering = messages.map((id) => app.deliver(courseOf(id)[0]));
    await meeting.arrived(2);
    meeting.open();
    const answers = await Promise.all(delivering);
    const { rows: found } = await admin.query(`SELECT times FROM ${rows}`);

    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect(found).toEqual([{ times: 2 }, { times: 2 }]);
    // PostgreSQL may abort both of them at once, or one of them twice.
    expect(app.calls.entries.length).toBeGreaterThan(2);
    expect(typesOf(app.events)).toEqual(["webhook.handled", "webhook.handled"]);
  });
});
