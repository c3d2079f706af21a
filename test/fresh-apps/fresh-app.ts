/** An app of a new user: a folder of `apps`, and what of Doorcode it installs. */
export interface FreshApp {
  readonly title: string;
  readonly folder: string;
  /** The packages that the app installs, without `@doorcode/`. The sandbox, and `cli`, which it needs, are always among them. */
  readonly packages: readonly string[];
  /** The version of Node that runs the app and the sandbox, from the package `node`. Default: that of the workspace. */
  readonly nodeVersion?: string;
  /** True if its tests need a PostgreSQL, as `TEST_POSTGRES_URL`. */
  readonly needsPostgres?: boolean;
  /** True if `npm test` runs it. The others install too much for every run. */
  readonly isQuick: boolean;
}

const express = ["core", "express", "sandbox", "cli"];
const fastify = ["core", "fastify", "sandbox", "cli"];
const fetchHost = ["core", "fetch", "sandbox", "cli"];
/** The oldest Node that `engines` of the packages takes. */
const oldestNode = "22.19.0";

/** Every framework and test runner that a new app is tried with. */
export const freshApps: readonly FreshApp[] = [
  { title: "Express 4, CommonJS", folder: "express4-cjs", packages: express, isQuick: true },
  { title: "Express 4, ESM", folder: "express4-esm", packages: express, isQuick: false },
  { title: "Express 4, TypeScript, node10", folder: "express4-typescript", packages: express, isQuick: false },
  { title: "Express 5, CommonJS", folder: "express5-cjs", packages: express, isQuick: false },
  { title: "Express 5, ESM", folder: "express5-esm", packages: express, isQuick: false },
  { title: "Express 5, TypeScript", folder: "express5-typescript", packages: express, isQuick: true },
  { title: "Fastify", folder: "fastify", packages: fastify, isQuick: false },
  {
    title: "Express 5, oldest Node",
    folder: "express5-esm",
    packages: express,
    nodeVersion: oldestNode,
    isQuick: false,
  },
  { title: "Fastify, oldest Node", folder: "fastify", packages: fastify, nodeVersion: oldestNode, isQuick: false },
  { title: "Hono", folder: "hono", packages: fetchHost, isQuick: false },
  { title: "NestJS", folder: "nestjs", packages: express, isQuick: false },
  { title: "Next.js", folder: "nextjs", packages: fetchHost, isQuick: false },
  { title: "a test under Jest", folder: "jest", packages: express, isQuick: false },
  { title: "a test under Jest, TypeScript", folder: "jest-typescript", packages: express, isQuick: false },
  { title: "a test under vitest", folder: "vitest", packages: express, isQuick: false },
  { title: "a test under node:test", folder: "node-test", packages: express, isQuick: false },
  // Prisma is 300 MB: `npm test` runs its program on a stand-in of the client.
  {
    title: "a user found or created by Prisma",
    folder: "prisma",
    packages: express,
    needsPostgres: true,
    isQuick: false,
  },
];
