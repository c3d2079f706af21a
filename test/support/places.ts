import { afterAll } from "vitest";
import { createDeployment, type Deployment } from "./deployment.ts";
import { type Host, hosts } from "./hosts.ts";
import { testedMemory } from "./tested-memory.ts";
import { openTestedPostgres } from "./tested-postgres.ts";
import { openTestedRedis } from "./tested-redis.ts";
import type { TestedStore } from "./tested-store.ts";

/** Where a suite runs: a framework, and a store that keeps what the app knows. */
export interface Place extends Host {
  /** Makes room for an app of its own. */
  deploy(): Deployment;
}

const redis = await openTestedRedis();

/** Every store of this machine. Those that are servers serve one file of tests, and end with it. */
export const stores: readonly TestedStore[] = [testedMemory, ...(redis ? [redis] : []), await openTestedPostgres()];

afterAll(async () => void (await Promise.all(stores.map((store) => store.close()))));

/** Every framework with every store. */
export const places: readonly Place[] = hosts.flatMap((host) =>
  stores.map((store) => ({
    ...host,
    name: `${host.name}, kept in ${store.name}`,
    deploy: () => createDeployment(store),
  })),
);
