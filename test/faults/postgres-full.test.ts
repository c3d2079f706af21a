import { Client, type Pool } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { notTaken, openApp, pairsOf, refusalOf } from "./app.ts";
import { keysOf, tellingOf } from "./deliveries.ts";
import { describeOnPostgres } from "./ground.ts";
import { logInThrough, type Outage, tight } from "./login-course.ts";
import { patience } from "./patience.ts";
import type { PostgresGround, PostgresWiredStore } from "./postgres-ground.ts";
import { deliverThrough } from "./webhook-course.ts";

/** A way in which a PostgreSQL that runs does not serve the app. */
interface Shortage {
  readonly what: string;
  /** What PostgreSQL calls it. */
  readonly code: string;
  begin(place: PostgresWiredStore): Promise<unknown>;
  end(place: PostgresWiredStore): Promise<unknown>;
  readonly spares?: Outage["spares"];
}

/** Closes the connections that there are just now, of all or of a role, and resolves when they are closed. */
async function cutOff(admin: Pool | Client, whose: string): Promise<void> {
  const others = `FROM pg_stat_activity WHERE ${whose} AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
  const { rows } = await admin.query(`SELECT pid, pg_terminate_backend(pid) ${others}`);
  const pids = rows.map(({ pid }) => Number(pid));
  const left = async () => (await admin.query(`SELECT 1 ${others} AND pid = ANY($1)`, [pids])).rowCount;
  await expect.poll(left, patience).toBe(0);
}

const ofApp = "usename = 'app'";

const shortages: readonly Shortage[] = [
  {
    what: "has no connection left",
    code: "53300",
    async begin({ admin }) {
      await admin.query("ALTER ROLE app CONNECTION LIMIT 0");
      await cutOff(admin, ofApp);
    },
    end: ({ admin }) => admin.query("ALTER ROLE app CONNECTION LIMIT -1"),
  },
  {
    what: "is only read from",
    code: "25006",
    async begin({ admin }) {
      await admin.query("ALTER ROLE app SET default_transaction_read_only = on");
      await cutOff(admin, ofApp);
    },
    async end({ admin }) {
      await admin.query("ALTER ROLE app RESET default_transaction_read_only");
      await cutOff(admin, ofApp);
    },
    spares: ["guarded request"],
  },
  {
    what: "has no room on its disk",
    code: "53100",
    begin: ({ admin, table }) =>
      admin.query(`CREATE FUNCTION ${table}_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$;
        CREATE TRIGGER "full" BEFORE INSERT OR UPDATE ON ${table} EXECUTE FUNCTION ${table}_full()`),
    end: ({ admin, table }) => admin.query(`DROP FUNCTION ${table}_full CASCADE`),
    spares: ["cancel", "logout", "guarded request"],
  },
  {
    what: "cancels statements that wait for a lock",
    code: "57014",
    async begin({ admin, table }) {
      await admin.query("ALTER ROLE app SET statement_timeout = '30ms'");
      await cutOff(admin, ofApp);
      await admin.query(`BEGIN; LOCK TABLE ${table}`);
    },
    async end({ admin }) {
      await admin.query("ROLLBACK");
      await admin.query("ALTER ROLE app RESET statement_timeout");
      await cutOff(admin, ofApp);
    },
  },
];

describeOnPostgres("a server that does not serve the app", (ground) => {
  describe.each(shortages)("because it $what ($code)", ({ code, begin, end, spares = [] }) => {
    async function openPlace(): Promise<{ readonly place: PostgresWiredStore; readonly outage: Outage }> {
      const place = await openAsApp(ground());
      const outage: Outage = {
        begin: () => begin(place),
        async end() {
          await end(place);
          await place.ready();
        },
        spares,
      };
      return { place, outage };
    }

    test.each(pairsOf(hosts))(
      "L24: a login on $on, codes owned by $owner, fails closed, and goes on when it does",
      async ({ host, codes }) => {
        const { place, outage } = await openPlace();
        const app = await openApp(host, { codes, store: place.store, login: tight });
        await logInThrough(app, outage);
        const told = app.events.flatMap((event) => (event.type === "store.failed" ? [event.error] : []));
        expect(told).toContainEqual(expect.objectContaining({ code }));
      },
    );

    test.each(hosts)("W9: webhooks on $name are refused, and handled when it does", async (host) => {
      const { place, outage } = await openPlace();
      await deliverThrough(await openApp(host, { store: place.store }), outage);
    });
  });
});

describeOnPostgres("an inbox on a server that is only read from", (ground) => {
  test.each(hosts)(
    "W9, L10: deliveries on $name are refused, told to nobody, and handled when it is not",
    async (host) => {
      const admin = new Client({ connectionString: ground().server.url });
      await admin.connect();
      onTestFinished(() => admin.end());
      const setReadOnly = async (
        change: "SET default_transaction_read_only = on" | "RESET default_transaction_read_only",
      ) => {
        await admin.query(`ALTER ROLE postgres ${change}`);
        await cutOff(admin, "true");
      };
      const [queued, sent] = tellingOf("msg_1");
      const { store, inbox, effect, effects } = await ground().openEngine();
      const app = await openApp(host, { store, webhooks: { inbox }, handle: effect });
      await app.doorcode.work();
      await app.deliver(queued);
      await expect.poll(effects, patience).toEqual(keysOf([queued]));
      await setReadOnly("SET default_transaction_read_only = on");
      const refused = await app.deliver(sent);
      await setReadOnly("RESET default_transaction_read_only");
      await expect.poll(async () => (await app.deliver(sent)).status, patience).toBe(204);
      await expect.poll(effects, patience).toEqual(keysOf([queued, sent]));

      expect(refusalOf(refused)).toEqual(notTaken);
      app.expectSilence();
    },
  );
});

/** Opens a store whose connections are those of an ordinary role. */
async function openAsApp({ server, openStore }: PostgresGround): Promise<PostgresWiredStore> {
  const url = new URL(server.url);
  url.username = "app";
  const place = await openStore({ pool: { connectionString: url.href } });
  await place.admin.query(`DO $$ BEGIN CREATE ROLE app LOGIN IN ROLE pg_read_all_data, pg_write_all_data;
    EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
  await place.ready();
  return place;
}
