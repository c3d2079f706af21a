import { createServer } from "node:http";
import { createDoorcode, createMemoryStore, type Doorcode, type DoorcodeEvent, serviceCodes } from "@doorcode/core";
import { doorcodeParts } from "@doorcode/core/adapter";
import type { DeadLetterEntry, Inbox } from "@doorcode/core/inbox";
import { createManualClock, type ManualClock } from "@doorcode/core/testing";
import type { OperationsOptions } from "@doorcode/operations";
import { operations as expressOperations } from "@doorcode/operations/express";
import { operations as fastifyOperations } from "@doorcode/operations/fastify";
import { operations as fetchOperations } from "@doorcode/operations/fetch";
import fastify from "fastify";
import { Hono } from "hono";
import { onTestFinished } from "vitest";
import { relay, serveHono } from "../adapters/serve-hono.ts";
import { expressVersions } from "../support/express-versions.ts";
import { listen } from "../support/listen.ts";
import { startScriptedService } from "../support/scripted-service.ts";

/** What must stand on no page: the number, its code, the address of a person and the secret of a webhook. */
export const secrets = {
  phone: "+4915123456789",
  code: "482913",
  address: "203.0.113.77",
  secret: "whk_of_these_tests",
  word: "sesame",
};

/** Two dead letters of one error and one of another, whose texts try to be markup. */
const deadLetters: readonly DeadLetterEntry[] = ["a", "b", "c"].map((letter, index) => ({
  key: letter.repeat(64),
  body: JSON.stringify({
    event: "verification.update",
    data: {
      recipient: secrets.phone,
      status: `DELIVERED ${secrets.phone}`,
      otp_code: secrets.code,
      note: `<img src=x onerror=alert(1)> ${secrets.phone}`,
      pin: 482913,
      [secrets.phone]: { otp: { value: secrets.word }, api_keys: [secrets.word] },
    },
  }),
  error: {
    name: "Error",
    code: undefined,
    message: index < 2 ? "<script>alert(1)</script>" : "The database did not answer.",
  },
  failedAtMilliseconds: Date.UTC(2026, 8, 21, 14, index),
}));

/** An inbox in memory, of which a test is the worker. */
interface OperatedInbox extends Inbox {
  readonly letters: Map<string, DeadLetterEntry>;
  /** The dead letters that the inbox has returned so far. */
  returned: number;
  /** What the worker makes of a replayed event. At first it handles every event. */
  handle: (key: string) => void;
}

function createInbox(): OperatedInbox {
  const letters = new Map(deadLetters.map((letter) => [letter.key, letter]));
  function returning(found: readonly DeadLetterEntry[]) {
    inbox.returned += found.length;
    return found;
  }
  const inbox: OperatedInbox = {
    letters,
    returned: 0,
    handle: () => undefined,
    add: async () => undefined,
    work: async () => ({ stop: async () => undefined }),
    deadLetters: async (limit) => returning([...letters.values()].reverse().slice(0, limit)),
    findDeadLetters: async (keys) => returning(keys.flatMap((key) => letters.get(key) ?? [])),
    async replay(key) {
      const isKnown = letters.delete(key);
      if (isKnown) inbox.handle(key);
      return isKnown;
    },
    discard: async (key) => letters.delete(key),
    counts: async () => ({ open: 2, dead: letters.size }),
    close: async () => undefined,
  };
  return inbox;
}

/** A kit with everything that the page shows. */
export interface OperatedKit {
  readonly doorcode: Doorcode;
  readonly clock: ManualClock;
  readonly events: DoorcodeEvent[];
  readonly inbox: ReturnType<typeof createInbox>;
  publish(event: DoorcodeEvent): void;
  /** Has an address closed by logins that nobody confirms. */
  closeAddress(): Promise<void>;
}

/** Creates a kit; its service ends with the test. */
export async function createOperatedKit({
  origins,
}: {
  readonly origins?: readonly string[];
} = {}): Promise<OperatedKit> {
  const clock = createManualClock();
  const service = await startScriptedService();
  const events: DoorcodeEvent[] = [];
  const inbox = createInbox();
  const doorcode = createDoorcode({
    clock,
    ...(origins && { origins }),
    name: `t${Math.random().toString(36).slice(2, 12)}`,
    store: createMemoryStore({ clock }),
    service: { baseUrl: service.url, apiKey: "key_of_the_tests" },
    session: { password: "a password of the tests, long enough" },
    login: {
      countries: ["DE"],
      codes: serviceCodes({ template: "login" }),
      onLogin: () => "user_1",
      limits: { mode: "enforce", sendsPerDay: 1000, costPerDay: 50, prices: { DE: 0.08, other: 0.2 } },
    },
    webhooks: { secret: secrets.secret, inbox },
    onEvent: (event) => void events.push(event),
  });
  onTestFinished(async () => {
    await doorcode.close();
    await service.close();
  });
  const { publish } = doorcode[doorcodeParts];
  inbox.handle = (key) =>
    publish({ type: "webhook.handled", kind: "verification.update", key, durationSeconds: 0, retried: true });
  return {
    doorcode,
    clock,
    events,
    inbox,
    publish,
    async closeAddress() {
      const { login } = doorcode[doorcodeParts];
      if (!login) throw new Error("The kit has a login.");
      const { closeGroup } = await import("../../packages/core/src/limits/closed-groups.ts");
      const group = { kind: "address", value: secrets.address, name: login.keys.fingerprint(secrets.address) } as const;
      await closeGroup(login, group, 3600);
    },
  };
}

/** A host that serves the page at `/operations`, and names the operator by the header `x-staff`. */
export interface OperationsHost {
  readonly name: string;
  serve(
    doorcode: Doorcode,
    options?: Omit<OperationsOptions<never>, "operator"> & { readonly guarded?: boolean },
  ): Promise<{ readonly url: string; close(): Promise<void> }>;
}

const onExpress: readonly OperationsHost[] = expressVersions.map(({ name, express }) => ({
  name,
  async serve(doorcode, { guarded = true, ...options } = {}) {
    const app = express();
    app.use(
      "/operations",
      expressOperations(doorcode, { ...options, ...(guarded && { operator: (req) => req.get("x-staff") }) }),
    );
    return listen(createServer(app));
  },
}));

const onFastify: OperationsHost = {
  name: "Fastify",
  async serve(doorcode, { guarded = true, ...options } = {}) {
    const app = fastify();
    const operator = (request: { headers: NodeJS.Dict<string | string[]> }) => request.headers["x-staff"]?.toString();
    await app.register(fastifyOperations(doorcode, { ...options, ...(guarded && { operator }) }), {
      prefix: "/operations",
    });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    return { url, close: () => app.close() };
  },
};

const onHono: OperationsHost = {
  name: "Hono",
  async serve(doorcode, { guarded = true, ...options } = {}) {
    const app = new Hono();
    const operator = (request: Request) => request.headers.get("x-staff");
    const page = fetchOperations(doorcode, { ...options, basePath: "/operations", ...(guarded && { operator }) });
    app.use(async (c, next) => relay(c, next, await page(c.req.raw, { remoteAddress: "127.0.0.1" })));
    return serveHono(app);
  },
};

/** Every host. */
export const hosts: readonly OperationsHost[] = [...onExpress, onFastify, onHono];
