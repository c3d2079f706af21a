import { afterAll } from "vitest";
import { createDeployment, type Deployment } from "./deployment.ts";
import { type Host, hosts } from "./hosts.ts";
import { appOwned, appSent, appWorded, type CodeOwner, codeOwners } from "./login-setup.ts";
import { testedMemory } from "./tested-memory.ts";
import { openTestedSqlite } from "./tested-sqlite.ts";
import type { TestedStore } from "./tested-store.ts";

/** What a suite runs on: a framework, a store, and the side that owns the codes. */
export interface Platform extends Host, CodeOwner {
  /** The framework and the store, for titles. */
  readonly name: string;
  /** Creates the deployment of one app on the store. */
  deploy(): Deployment;
}

/**
 * Opens every store of this machine for one file of tests; they are closed after it. `DOORCODE_TEST_STORES=memory` leaves the
 * databases out.
 */
export async function openStores(): Promise<readonly TestedStore[]> {
  if (process.env.DOORCODE_TEST_STORES === "memory") return [testedMemory];
  const [{ openTestedRedis }, { openTestedPostgres }] = await Promise.all([
    import("./tested-redis.ts"),
    import("./tested-postgres.ts"),
  ]);
  const redis = await openTestedRedis();
  const stores = [testedMemory, ...(redis ? [redis] : []), await openTestedPostgres(), openTestedSqlite()];
  afterAll(async () => void (await Promise.all(stores.map((store) => store.close()))));
  return stores;
}

/** The platforms of one file of tests. */
export interface Platforms {
  /** Eight platforms: each store, framework and owner of the codes occurs together with each of the others. */
  readonly pairwise: readonly Platform[];
  /**
   * Every store once, with frameworks and owners in turn: four of the eight platforms.
   *
   * @param offset - 0 or 1: the one has the platforms that the other leaves out.
   */
  everyStore(offset: 0 | 1): readonly Platform[];
  /** The three ways in which the app's codes are sent, each on another store: `custom_otp`, a text of the app, the app itself. */
  readonly appSenders: readonly Platform[];
  /** The latter two of them. */
  readonly ownTexts: readonly Platform[];
}

/**
 * Opens the platforms for one file of tests.
 *
 * Adapter conformance shows that frameworks do not differ, store conformance that stores do not. So a suite needs each pair
 * and not every combination.
 */
export async function openPlatforms(): Promise<Platforms> {
  const stores = await openStores();
  const halves = ([0, 1] as const).map((half) => stores.map((store, index) => platformOf(store, index, half)));
  const senders = [
    { ...appOwned, sentAs: "custom_otp" },
    { ...appWorded, sentAs: "texts of the app" },
    { ...appSent, sentAs: "sent by the app" },
  ];
  const appSenders = senders.map(({ sentAs, ...owner }, index) => {
    const platform = platformOf(pick(stores, index), index, 1);
    return { ...platform, ...owner, name: `${platform.name}, ${sentAs}` };
  });
  return {
    pairwise: halves.flat(),
    appSenders,
    ownTexts: appSenders.slice(1),
    everyStore: (offset) => halves[offset] ?? [],
  };
}

/** The third store meets the owners in the other order: else one framework would have the codes of one owner only. */
function platformOf(store: TestedStore, index: number, half: 0 | 1): Platform {
  const host = pick(hosts, index + half);
  const owner = pick(codeOwners, half + (index === 2 ? 1 : 0));
  return {
    ...host,
    ...owner,
    name: `${host.name} with ${store.name}`,
    deploy: () => createDeployment(store),
  };
}

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("There is nothing to choose from.");
  return item;
}
