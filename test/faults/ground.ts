import type { Store } from "@doorcode/core/store";
import type { PoolConfig } from "pg";
import { afterAll, beforeAll, describe } from "vitest";
import type { Engine, EngineOptions } from "../inbox/open-engine.ts";
import type { CommandWire } from "./command-wire.ts";
import { type PostgresGround, postgresKind } from "./postgres-ground.ts";
import { type RedisGround, redisKind } from "./redis-ground.ts";

/** A server that tests may stop, kill and fill. */
export interface Ground {
  /** Ends as an operator ends it, and cuts off whoever is connected. */
  stop(): Promise<void>;
  /** Ends with `kill -9`. */
  kill(): Promise<void>;
  /** Begins again, with what was on disk. */
  start(): Promise<void>;
  /** Opens a store that is empty, and gone when the test is over. */
  openStore(options?: WiredStoreOptions): Promise<WiredStore>;
  /** Opens store and inbox, empty, and gone when the test is over. */
  openEngine(options?: OwnEngineOptions): Promise<OwnEngine>;
  close(): Promise<void>;
}

/** What a test wants otherwise. */
export interface WiredStoreOptions {
  readonly timeoutSeconds?: number;
  /** Leaves the wire out. */
  readonly direct?: boolean;
  /** Of the app's pool. */
  readonly pool?: PoolConfig;
}

/** A store with a wire before its server. */
export interface WiredStore {
  readonly store: Store;
  readonly wire: CommandWire;
  /** Resolves when the store answers. */
  ready(): Promise<void>;
  /** Lets every lease run out, as if its time were over. */
  endLeases(): Promise<void>;
}

/** What a test wants otherwise. */
export interface OwnEngineOptions extends EngineOptions {
  /** Runs handlers in the transaction that completes their event, where there are any. */
  readonly transactional?: boolean;
  /** Puts the wire before the server. */
  readonly wired?: boolean;
}

/** Store and inbox of a process. */
export interface OwnEngine extends Engine {
  readonly wire: CommandWire;
  /** What another process would open, on the same data and without the wire. */
  openAnother(): Engine;
  /** Lets everything that a dead worker held run out: leases of the store, and its hold on entries of the inbox. */
  passTime(): Promise<void>;
}

/** A kind of server on which the faults are tried. */
export interface GroundKind<OwnGround extends Ground> {
  readonly name: string;
  readonly isThere: boolean;
  open(): Promise<OwnGround>;
}

/** Ways in which a server goes away. */
export const ends = ["stop", "kill"] as const;

/** Describes what holds on each kind of server; the tests of one share it, and leave it running. */
export function describeOnEach(title: string, body: (ground: () => Ground) => void): void {
  describeOnRedis(title, body);
  describeOnPostgres(title, body);
}

/** Describes what holds on Redis. */
export function describeOnRedis(title: string, body: (ground: () => RedisGround) => void): void {
  describeOn(redisKind, title, body);
}

/** Describes what holds on PostgreSQL. */
export function describeOnPostgres(title: string, body: (ground: () => PostgresGround) => void): void {
  describeOn(postgresKind, title, body);
}

function describeOn<OwnGround extends Ground>(
  { name, isThere, open }: GroundKind<OwnGround>,
  title: string,
  body: (ground: () => OwnGround) => void,
): void {
  describe.skipIf(!isThere)(`${title}, on ${name}`, { timeout: 60_000 }, () => {
    let ground: OwnGround;
    beforeAll(async () => {
      ground = await open();
    }, 60_000);
    afterAll(() => ground.close());
    body(() => ground);
  });
}
