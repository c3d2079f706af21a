/** An app of a new user: a folder of `apps`, and what of Doorcode it installs. */
export interface FreshApp {
  readonly title: string;
  readonly folder: string;
  /** The packages that the app installs, without `@doorcode/`. The sandbox, and what it needs, are always among them. */
  readonly packages: readonly string[];
  /** The version of Node that runs the app and the sandbox, from the package `node`. Default: that of the workspace. */
  readonly nodeVersion?: string;
  /** True if its tests need a PostgreSQL, as `TEST_POSTGRES_URL`. */
  readonly needsPostgres?: boolean;
  /** True if `npm test` runs it. The others install too much for every run. */
  readonly isQuick?: true;
  /** What the app installs in place of its own versions, such as `jest@28`. */
  readonly otherVersions?: readonly string[];
  /** For an app with users, sessions and tests of its own, without Doorcode: `init` adds it. */
  readonly existing?: ExistingApp;
}

/** What an app has before Doorcode. */
export type ExistingApp = AppWithUsers | "tests only";

/** An app with users of its own. */
export interface AppWithUsers {
  /** The path of a page for its users, which answers with the user's phone number. */
  readonly account: string;
  /** The path of the login by phone: `init` chooses a free one. */
  readonly login: string;
  /** The port on which it listens, if nobody says otherwise. */
  readonly port: number;
  /** The port of the database that it needs on this machine. Without an answer there, the app is not tried. */
  readonly databasePort?: number;
}

const express = ["core", "express", "sandbox", "cli", "operations"];
const fastify = ["core", "fastify", "sandbox", "cli", "operations"];
const fetchHost = ["core", "fetch", "sandbox", "cli", "operations"];
const express5 = ["express@5"];
/** The oldest Node that `engines` of the packages takes. */
const oldestNode = "22.19.0";

/** Every framework and test runner that a new app is tried with. */
export const freshApps: readonly FreshApp[] = [
  { title: "Express 4, CommonJS", folder: "express-cjs", packages: express, isQuick: true },
  { title: "Express 4, ESM", folder: "express-esm", packages: express },
  { title: "Express 4, TypeScript, node10", folder: "express4-typescript", packages: express },
  { title: "Express 5, CommonJS", folder: "express-cjs", packages: express, otherVersions: express5 },
  { title: "Express 5, ESM", folder: "express-esm", packages: express, otherVersions: express5 },
  { title: "Express 5, TypeScript", folder: "express5-typescript", packages: express },
  { title: "Fastify", folder: "fastify", packages: fastify },
  {
    title: "Express 5, oldest Node",
    folder: "express-esm",
    packages: express,
    otherVersions: express5,
    nodeVersion: oldestNode,
  },
  { title: "Fastify, oldest Node", folder: "fastify", packages: fastify, nodeVersion: oldestNode },
  { title: "Hono", folder: "hono", packages: fetchHost },
  { title: "NestJS", folder: "nestjs", packages: express },
  { title: "Next.js", folder: "nextjs", packages: fetchHost },
  {
    title: "an Express app with Passport, Mongoose and Jest",
    folder: "real-express-passport",
    packages: express,
    existing: { account: "/account", login: "/phone-login", port: 8080 },
  },
  {
    title: "an Express app with JWT, Mongoose and Jest",
    folder: "real-express-jwt",
    packages: express,
    existing: { account: "/api/users/me", login: "/login", port: 5000 },
  },
  {
    title: "a Fastify app with autoload, sessions and MariaDB",
    folder: "real-fastify-autoload",
    packages: fastify,
    existing: { account: "/account", login: "/login", port: 3000, databasePort: 3306 },
  },
  {
    title: "a Next.js app with a JWT cookie and Drizzle",
    folder: "real-nextjs-drizzle",
    packages: fetchHost,
    existing: { account: "/account", login: "/login", port: 3000 },
  },
  {
    title: "an Express app with TypeScript and Jest",
    folder: "real-express-typescript",
    packages: express,
    existing: "tests only",
  },
  {
    title: "an Express app with Jest 28",
    folder: "real-express-jwt",
    packages: express,
    otherVersions: ["jest@28"],
    existing: "tests only",
  },
  {
    title: "an Express app with TypeScript and Jest 28",
    folder: "real-express-typescript",
    packages: express,
    otherVersions: ["jest@28", "ts-jest@28", "@types/jest@28"],
    existing: "tests only",
  },
  {
    title: "an Express app with Jest 30",
    folder: "real-express-jwt",
    packages: express,
    otherVersions: ["jest@30"],
    existing: "tests only",
  },
  {
    title: "an Express app with TypeScript and Jest 30",
    folder: "real-express-typescript",
    packages: express,
    otherVersions: ["jest@30", "@types/jest@30"],
    existing: "tests only",
  },
  { title: "a test under Jest", folder: "jest", packages: express },
  { title: "a test under Jest, TypeScript", folder: "jest-typescript", packages: express },
  { title: "a test under vitest", folder: "vitest", packages: express },
  { title: "a test under node:test", folder: "node-test", packages: express },
  // Prisma is 300 MB: `npm test` runs its program on a stand-in of the client.
  {
    title: "a user found or created by Prisma",
    folder: "prisma",
    packages: express,
    needsPostgres: true,
  },
];
