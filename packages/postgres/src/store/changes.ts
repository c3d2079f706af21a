import { createHash } from "node:crypto";
import { type Clock, createDeadline, createWakeUp } from "@doorcode/core/clock";
import { createChangeListeners, type StoreChanges } from "@doorcode/core/store";
import type { Notification, Pool } from "pg";
import { checkOut, giveBack, type Race } from "../connection/check-out.ts";
import type { RunStatement } from "../connection/run-statement.ts";
import type { Table } from "../table/table.ts";

/** The parts that the announcements of a store work with. */
export interface ChangesDeps {
  readonly pool: Pool;
  readonly run: RunStatement;
  readonly table: Table;
  readonly clock: Clock;
  readonly timeoutSeconds: number;
}

/** Someone who listens takes one connection of the pool. The others must be enough for the statements of the requests. */
const minConnections = 3;

const retrySeconds = 1;

/** A pool that ends waits for this connection. It tells nobody that it ends, so it is asked. */
const poolCheckSeconds = 1;

/** Tells whether a pool has a connection to spare. */
export function canListen({ options }: Pool): boolean {
  return (options.max ?? 10) >= minConnections;
}

/**
 * Announces changes by NOTIFY, in a statement of its own and never in a transaction of the app, and hears them by LISTEN.
 *
 * One connection of the pool listens, only while somebody waits. It goes back to the pool without its subscription. If it is lost,
 * another one is taken.
 */
export function createPostgresChanges({ pool, run, table, clock, timeoutSeconds }: ChangesDeps): StoreChanges {
  const channel = channelOf(table);
  const listeners = createChangeListeners();
  const wakeUp = createWakeUp(clock);
  let isWorking = false;
  let isListening = false;

  const isWanted = () => listeners.topics().length > 0 && !pool.ending;

  async function listenWhileWanted(): Promise<void> {
    isWorking = true;
    while (isWanted()) {
      // Whoever waits looks at the store from time to time, so this is not reported: the store's own calls are.
      const isLost = await listenOnce().catch(() => true);
      if (isLost && isWanted()) await wakeUp.pause(retrySeconds);
    }
    isWorking = false;
  }

  /** Listens until nobody wants it any more. Returns true if the connection was lost before. */
  async function listenOnce(): Promise<boolean> {
    const client = await inTime((race) => checkOut(pool, race));
    let answered = false;
    let isLost = false;
    const lose = () => {
      isLost = true;
      wakeUp.trigger();
    };
    const hear = ({ channel: heard, payload = "" }: Notification) => {
      if (heard === channel) listeners.tell([payload]);
    };
    client.on("notification", hear).on("error", lose).on("end", lose);
    try {
      await inTime((race) => race(client.query(`LISTEN ${channel}`)));
      isListening = true;
      listeners.tell();
      while (isWanted() && !isLost) await wakeUp.pause(poolCheckSeconds);
      isListening = false;
      if (isLost) return true;
      await inTime((race) => race(client.query(`UNLISTEN ${channel}`)));
      answered = true;
      return false;
    } finally {
      isListening = false;
      client.removeListener("notification", hear).removeListener("error", lose).removeListener("end", lose);
      giveBack(client, { answered });
    }
  }

  async function inTime<Result>(work: (race: Race) => Promise<Result>): Promise<Result> {
    const deadline = createDeadline(clock, timeoutSeconds, () => new Error("PostgreSQL did not answer in time."));
    try {
      return await work(deadline.race);
    } finally {
      deadline.clear();
    }
  }

  return {
    async announce(topics) {
      const text = "SELECT pg_notify($1::text, topic)::text AS sent FROM unnest($2::text[]) AS topic";
      await run({ text, values: [channel, topics] });
    },
    listen(topics, onChange) {
      const { remove } = listeners.add(topics, onChange);
      if (isListening) onChange();
      if (!isWorking) void listenWhileWanted();
      return () => {
        remove();
        if (!isWanted()) wakeUp.trigger();
      };
    },
  };
}

/** Names the channel after the table, in fewer than the 63 bytes at which PostgreSQL cuts names. */
function channelOf({ name }: Table): string {
  return `doorcode_${createHash("sha256").update(name).digest("hex").slice(0, 40)}`;
}
