import { Client, type Pool } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { notAccepted, openApp, pairsOf, refusalOf } from "./app.ts";
import { deliverThrough } from "./deliver-through-outage.ts";
import { logInThrough, type Outage, tight } from "./login-through-outage.ts";
import { courseOf, keysOf } from "./message-course.ts";
import type { OwnPostgresStore, StoppablePostgres } from "./stoppable-postgres.ts";
import { describeOnPostgres } from "./stoppable-server.ts";

/** A reason why a running PostgreSQL does not serve the app. */
interface Shortage {
  readonly what: string;
  /** The error code of PostgreSQL. */
  readonly code: string;
  begin(store: OwnPostgresStore): Promise<unknown>;
  end(store: OwnPostgresStore): Promise<unknown>;
  readonly unaffected?: Outage["unaffected"];
}

/** Closes the present connections, all of them or those of a role, and resolves when they are closed. */
async function cutOff(admin: Pool | Client, whose: string): Promise<void> {
  const others = `FROM pg_stat_activity WHERE ${whose} AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
  const { rows } = await admin.query(`SELECT pid, pg_terminate_backend(pid) ${others}`);
  const pids = rows.map(({ pid }) => Number(pid));
  const left = async () => (await admin.query(`SELECT 1 ${others} AND pid = ANY($1)`, [pids])).rowCount;
  await expect.poll(left).toBe(0);
  // One that was connecting when the others were listed is found by the next look.
  if (pids.length > 0) await cutOff(admin, whose);
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
    what: "is read-only",
    code: "25006",
    async begin({ admin }) {
      await admin.query("ALTER ROLE app SET default_transaction_read_only = on");
      await cutOff(admin, ofApp);
    },
    async end({ admin }) {
      await admin.query("ALTER ROLE app RESET default_transaction_read_only");
      await cutOff(admin, ofApp);
    },
    unaffected: ["guarded request"],
  },
  {
    what: "has no room on its disk",
    code: "53100",
    begin: ({ admin, table }) =>
      admin.query(`CREATE FUNCTION ${table}_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$;
        CREATE TRIGGER "full" BEFORE INSERT OR UPDATE ON ${table} EXECUTE FUNCTION ${table}_full()`),
    end: ({ admin, table }) => admin.query(`DROP FUNCTION ${table}_full CASCADE`),
    unaffected: ["cancel", "logout", "guarded request"],
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

describeOnPostgres("a server that does not serve the app", (server) => {
  describe.each(shortages)("because it $what ($code)", ({ code, begin, end, unaffected = [] }) => {
    async function openWithOutage(): Promise<{ readonly own: OwnPostgresStore; readonly outage: Outage }> {
      const own = await openAsApp(server());
      const outage: Outage = {
        begin: () => begin(own),
        async end() {
          await end(own);
          await own.ready();
        },
        unaffected,
      };
      return { own, outage };
    }

    test.each(pairsOf(hosts))(
      "L24: a login on $on, codes owned by $owner, fails closed, and continues later",
      async ({ host, codes }) => {
        const { own, outage } = await openWithOutage();
        const app = await openApp(host, { codes, store: own.store, login: tight });
        await logInThrough(app, outage);
        const published = app.events.flatMap((event) => (event.type === "store.failed" ? [event.error] : []));
        // Without a connection the store says what to check, with PostgreSQL's error as the cause.
        const causes = published.map((error) => (error instanceof Error && error.cause) || error);
        expect(causes).toContainEqual(expect.objectContaining({ code }));
      },
    );

    test.each(hosts)("W9: webhooks on $name are refused, and handled later", async (host) => {
      const { own, outage } = await openWithOutage();
      await deliverThrough(await openApp(host, { store: own.store }), outage);
    });
  });
});

describeOnPostgres("an inbox on a server that is read-only", (server) => {
  test.each(hosts)(
    "W9, L10: deliveries on $name are refused, appear in no output, and are handled later",
    async (host) => {
      const admin = new Client({ connectionString: server().server.url });
      await admin.connect();
      onTestFinished(() => admin.end());
      const setReadOnly = async (
        change: "SET default_transaction_read_only = on" | "RESET default_transaction_read_only",
      ) => {
        await admin.query(`ALTER ROLE postgres ${change}`);
        await cutOff(admin, "true");
      };
      const [queued, sent] = courseOf("msg_1");
      const { store, inbox, effect, effects } = await server().openEngine();
      const app = await openApp(host, { store, webhooks: { inbox }, handle: effect });
      await app.doorcode.work();
      await app.deliver(queued);
      await expect.poll(effects).toEqual(keysOf([queued]));
      await setReadOnly("SET default_transaction_read_only = on");
      const refused = await app.deliver(sent);
      await setReadOnly("RESET default_transaction_read_only");
      await expect.poll(async () => (await app.deliver(sent)).status).toBe(204);
      await expect.poll(effects).toEqual(keysOf([queued, sent]));

      expect(refusalOf(refused)).toEqual(notAccepted);
      app.expectNoSecrets();
    },
  );
});

/** Opens a store with the connections of an ordinary role. */
async function openAsApp({ server, openStore }: StoppablePostgres): Promise<OwnPostgresStore> {
  const url = new URL(server.url);
  url.username = "app";
  const own = await openStore({ pool: { connectionString: url.href } });
  await own.admin.query(`DO $$ BEGIN CREATE ROLE app LOGIN IN ROLE pg_read_all_data, pg_write_all_data;
    EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
  await own.ready();
  return own;
}
