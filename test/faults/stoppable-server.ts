import type { Clock, Store } from "@doorcode/core/store";
import { afterAll, beforeAll, describe } from "vitest";
import type { InboxSetup } from "../inbox/inbox-setup.ts";
import type { EngineOptions } from "../inbox/open-engine.ts";
import type { TcpProxy } from "../support/tcp-proxy.ts";
import { stoppablePostgres } from "./stoppable-postgres.ts";
import { type StoppableRedis, stoppableRedis } from "./stoppable-redis.ts";
import { stoppableSqlite } from "./stoppable-sqlite.ts";

/** A store that tests may take away: a server that they stop or kill, or a file. */
export interface StoppableStore {
  /** Stops it as an operator does, and cuts off its clients. */
  stop(): Promise<void>;
  /** Kills it with `kill -9`. */
  kill(): Promise<void>;
  /** Starts it again, with what was on disk. */
  start(): Promise<void>;
  /** True if reads are answered while it is away. */
  readonly readsGoOn: boolean;
  /** Opens an empty store, which is gone when the test is over. */
  openStore(options?: OwnStoreOptions): Promise<OwnStore>;
  /** Opens an empty store and inbox, which are gone when the test is over. */
  openEngine(options?: OwnEngineOptions): Promise<InboxSetup>;
  close(): Promise<void>;
}

/** A server that tests may stop, kill and fill, and whose answers they may hold. */
export interface StoppableServer extends StoppableStore {
  openStore(options?: OwnStoreOptions): Promise<OwnStore & Proxied>;
  openEngine(options?: OwnEngineOptions): Promise<InboxSetup & Proxied>;
}

/** Options of {@link StoppableStore.openStore}. */
export interface OwnStoreOptions {
  /** Times the waiting of the store; the machine's clock when left out. */
  readonly clock?: Clock;
  /** Connects without the proxy. */
  readonly direct?: boolean;
}

/** The proxy in front of a server. */
export interface Proxied {
  readonly proxy: TcpProxy;
}

/** A store of a test. */
export interface OwnStore {
  readonly store: Store;
  /** Resolves when the store answers. */
  ready(): Promise<void>;
  /** Ends every lease, as if its time were over. */
  endLeases(): Promise<void>;
}

/** Options of {@link StoppableStore.openEngine}. */
export interface OwnEngineOptions extends EngineOptions {
  /** Connects through the proxy. */
  readonly proxied?: boolean;
}

/** A kind of server or file on which the faults are tested. */
export interface ServerKind<Server extends StoppableStore> {
  readonly name: string;
  readonly isInstalled: boolean;
  open(): Promise<Server>;
}

/** The ways in which a store goes away. */
export const ends = ["stop", "kill"] as const;

/** The names of the kinds of stores. */
export const storeNames: readonly string[] = [stoppableRedis.name, stoppablePostgres.name, stoppableSqlite.name];

/** Describes what holds on each kind of server. The tests of a file share one server of a kind, and leave it running. */
export function describeOnEach(title: string, body: (server: () => StoppableServer, name: string) => void): void {
  describeOnRedis(title, body);
  describeOnPostgres(title, body);
}

/** Describes what holds on each kind of store, whether it has a server or not. */
export function describeOnEachStore(title: string, body: (store: () => StoppableStore, name: string) => void): void {
  describeOnEach(title, body);
  describeOnSqlite(title, body);
}

/** Describes what holds on Redis. */
export const describeOnRedis = createDescribe<StoppableRedis>(stoppableRedis);

const describeOnPostgres = createDescribe(stoppablePostgres);
const describeOnSqlite = createDescribe(stoppableSqlite);

function createDescribe<Server extends StoppableStore>({ name, isInstalled, open }: ServerKind<Server>) {
  let opening: Promise<Server> | undefined;
  return (title: string, body: (server: () => Server, name: string) => void): void => {
    if (!opening) afterAll(async () => (await opening)?.close());
    describe.skipIf(!isInstalled)(`${title}, on ${name}`, { timeout: 60_000 }, () => {
      let server: Server;
      beforeAll(async () => {
        opening ??= open();
        server = await opening;
      }, 60_000);
      body(() => server, name);
    });
  };
}
