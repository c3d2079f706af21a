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

/**
 * In memory: each framework, with the codes of one owner. For what core decides.
 *
 * Store conformance shows that stores do not differ, adapter conformance that frameworks do not. So a suite needs other stores only
 * where it is about what a store does: requests that race for it, processes that share it, and entries that expire in it.
 */
export const inMemory: readonly Platform[] = hosts.map((_, index) => platformOf(testedMemory, index, 0, index));

/** The three ways in which the app's codes are sent: `custom_otp`, a text of the app, the app itself. */
export const appSenders: readonly Platform[] = [
  { ...appOwned, sentAs: "custom_otp" },
  { ...appWorded, sentAs: "texts of the app" },
  { ...appSent, sentAs: "sent by the app" },
].map(({ sentAs, ...owner }, index) => {
  const platform = platformOf(testedMemory, index, 1, 1);
  return { ...platform, ...owner, name: `${platform.name}, ${sentAs}` };
});

/** The latter two of them. */
export const ownTexts: readonly Platform[] = appSenders.slice(1);

/**
 * Opens the platforms on every store for one file of tests.
 *
 * @returns the platforms of a half, 0 or 1. Each has every store once, with frameworks and owners in turn. In both halves together each
 * store, framework and owner occurs together with each of the others.
 */
export async function openPlatforms(): Promise<(half: 0 | 1) => readonly Platform[]> {
  const stores = await openStores();
  // The third store meets the owners in the other order: else one framework would have the codes of one owner only.
  return (half) => stores.map((store, index) => platformOf(store, index, half, half + (index === 2 ? 1 : 0)));
}

function platformOf(store: TestedStore, index: number, half: 0 | 1, ownerIndex: number): Platform {
  const host = pick(hosts, index + half);
  return {
    ...host,
    ...pick(codeOwners, ownerIndex),
    name: `${host.name} with ${store.name}`,
    deploy: () => createDeployment(store),
  };
}

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("There is nothing to choose from.");
  return item;
}
