/** A row of the table: what is measured, and what it is compared with. */
export interface Row {
  /** The file of this folder that measures it. */
  readonly group: string;
  readonly what: string;
  readonly limit: string;
}

const verified = "an HMAC with a `KeyObject`, the timestamp, `timingSafeEqual`";
const received = "a route that reads up to the same limit, verifies and parses";

/** The rows of the table in `docs/benchmarks.md`, in its order. */
export const rows = {
  "verify 1 KB": { group: "verify", what: "verifying a webhook of 1 KB", limit: verified },
  "verify 64 KB": { group: "verify", what: "verifying a webhook of 64 KB", limit: verified },
  "verify and parse 1 KB": {
    group: "verify",
    what: "verifying and parsing 1 KB",
    limit: `${verified}, \`JSON.parse\``,
  },
  "webhook on Express": {
    group: "webhook",
    what: "a webhook of 1 KB over HTTP on Express, handled once and in order",
    limit: received,
  },
  "webhook on Fastify": {
    group: "webhook",
    what: "a webhook of 1 KB over HTTP on Fastify, handled once and in order",
    limit: received,
  },
  "guard on Express": { group: "guard", what: "a guarded request on Express", limit: "the route without a guard" },
  "guard on Fastify": { group: "guard", what: "a guarded request on Fastify", limit: "the route without a guard" },
  login: {
    group: "login",
    what: "a login on Express with `appCodes`, start and confirm",
    limit: "routes with two seals and one unseal of iron-session, a `Map`, an HMAC, and the same call with undici",
  },
  "logins a second": {
    group: "stores",
    what: "logins a second on each store, 32 at once, without HTTP",
    limit: "the memory store",
  },
  "pending logins": {
    group: "stores",
    what: "1,000,000 pending logins: bytes each, and a login's time against 1,000 pending",
    limit: "–",
  },
  "inbox on BullMQ": {
    group: "inbox",
    what: "an event through the inbox on BullMQ: added, handled, completed",
    limit: "BullMQ alone, an empty handler",
  },
  "inbox on PostgreSQL": {
    group: "inbox",
    what: "an event through the inbox on PostgreSQL: added, handled, completed",
    limit: "the inbox alone, an empty handler",
  },
  sandbox: {
    group: "sandbox",
    what: "the sandbox with 100,000 messages: memory, and the time until it is ready",
    limit: "–",
  },
  import: {
    group: "install",
    what: "the import of the kit and its adapter for Express, and the first answer",
    limit: "Express alone",
  },
  install: { group: "install", what: "what an install adds to Express", limit: "–" },
} as const satisfies Readonly<Record<string, Row>>;

/** The name of a row. */
export type RowName = keyof typeof rows;

/** The groups of rows, each a file of this folder that runs in a process of its own. */
export const groups: readonly string[] = [...new Set(Object.values(rows).map(({ group }) => group))];

/** The files of this folder that have no row there. They run only when they are named. */
export const longRuns: readonly string[] = ["scaling", "soak"];
