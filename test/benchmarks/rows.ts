/** A row of the table: what is measured, and what it is compared with. */
export interface Row {
  readonly what: string;
  readonly limit: string;
}

const verified = "an HMAC with a `KeyObject`, the timestamp, `timingSafeEqual`";
const received = "a route that reads up to the same limit, verifies and parses";

/** The rows of the table in `docs/benchmarks.md`, in its order. */
export const rows = {
  "verify 1 KB": { what: "verifying a webhook of 1 KB", limit: verified },
  "verify 64 KB": { what: "verifying a webhook of 64 KB", limit: verified },
  "verify and parse 1 KB": { what: "verifying and parsing 1 KB", limit: `${verified}, \`JSON.parse\`` },
  "webhook on Express": { what: "a webhook of 1 KB over HTTP on Express, handled once and in order", limit: received },
  "webhook on Fastify": { what: "a webhook of 1 KB over HTTP on Fastify, handled once and in order", limit: received },
  "guard on Express": { what: "a guarded request on Express", limit: "the route without a guard" },
  "guard on Fastify": { what: "a guarded request on Fastify", limit: "the route without a guard" },
  login: {
    what: "a login on Express with `appCodes`, start and confirm",
    limit: "routes with two seals and one unseal of iron-session, a `Map`, an HMAC, and the same call with undici",
  },
  "logins a second": { what: "logins a second on each store, 32 at once, without HTTP", limit: "the memory store" },
  "pending logins": {
    what: "1,000,000 pending logins: bytes each, and a login's time against 1,000 pending",
    limit: "–",
  },
  "inbox on BullMQ": {
    what: "an event through the inbox on BullMQ: added, handled, completed",
    limit: "BullMQ alone, an empty handler",
  },
  "inbox on PostgreSQL": {
    what: "an event through the inbox on PostgreSQL: added, handled, completed",
    limit: "the inbox alone, an empty handler",
  },
  sandbox: { what: "the sandbox with 100,000 messages: memory, and the time until it is ready", limit: "–" },
  import: { what: "the import of the kit and its adapter for Express, and the first answer", limit: "Express alone" },
  install: { what: "what an install adds to Express", limit: "–" },
} as const satisfies Readonly<Record<string, Row>>;

/** The name of a row. */
export type RowName = keyof typeof rows;

/** The groups of rows, each a file of this folder that runs in a process of its own. */
export const groups: readonly string[] = [
  "verify",
  "webhook",
  "guard",
  "login",
  "stores",
  "inbox",
  "sandbox",
  "install",
];
