import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { appCodes, createDoorcode, type Doorcode } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { phoneLogin, webhooks } from "@doorcode/fetch";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { hosts } from "./hosts.ts";

/** The settings of a measured app: its argument, as JSON. */
export interface MeasuredSettings {
  /** `Express` or `fetch`. */
  readonly host: string;
  readonly secret: string;
  /** The largest webhook. The kit's default when left out. */
  readonly limitBytes?: number;
}

/** A message from the test to the process. */
export type MeasuredOrder = "measure" | "report" | { readonly advanceMilliseconds: number };

/** The answer to each order, and the first message of the process. */
export interface MeasuredNote {
  readonly url: string;
  readonly nowSeconds: number;
  /** The bytes that were read so far from each open connection, by the port of the client. */
  readonly bytesRead: Readonly<Record<number, number>>;
  /** The memory that is in use, without garbage; 0 unless it was measured. */
  readonly usedBytes: number;
}

const { host, secret, limitBytes }: MeasuredSettings = JSON.parse(process.argv[2] ?? "{}");
const clock = createManualClock();
const doorcode = createDoorcode({
  name: "measured",
  clock,
  session: { password: "a password of the tests, long enough" },
  login: { countries: ["DE"], codes: appCodes({ send: () => undefined }), onLogin: () => "user_1" },
  webhooks: { secret, ...(limitBytes !== undefined && { limitBytes }) },
});

const { url, server } = host === "fetch" ? await serveFetch(doorcode) : await serveNode(doorcode);
const sockets = new Set<Socket>();
server.on("connection", (socket) => {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
});

process.on("message", async (order: MeasuredOrder) => {
  if (typeof order === "object") await clock.advance(order.advanceMilliseconds);
  tell(order === "measure" ? await measure() : 0);
});
process.on("disconnect", () => process.exit());
tell(0);

function tell(usedBytes: number): void {
  const note: MeasuredNote = {
    url,
    nowSeconds: Math.floor(clock.now() / 1000),
    bytesRead: Object.fromEntries([...sockets].map(({ remotePort = 0, bytesRead }) => [remotePort, bytesRead])),
    usedBytes,
  };
  process.send?.(note);
}

/** Collects garbage until nothing more goes: some memory is freed by the next collection only. */
async function measure(): Promise<number> {
  let used = Number.POSITIVE_INFINITY;
  for (;;) {
    await setImmediate();
    gc?.();
    const { heapUsed, external } = process.memoryUsage();
    if (heapUsed + external > used * 0.999) return used;
    used = heapUsed + external;
  }
}

async function serveNode(kit: Doorcode): Promise<{ readonly url: string; readonly server: Server }> {
  const found = hosts.find(({ name }) => name === host);
  if (!found) throw new Error(`There is no host ${host}.`);
  return found.serve(kit, { login: true, webhooks: true });
}

async function serveFetch(kit: Doorcode): Promise<{ readonly url: string; readonly server: Server }> {
  const login = phoneLogin(kit, { basePath: "/login" });
  const deliver = webhooks(kit, { basePath: "/webhooks" });
  const app = new Hono();
  app.use(async ({ req: { raw } }, next) => {
    const answer = (await deliver(raw)) ?? (await login(raw, { remoteAddress: "192.0.2.1" }));
    return answer ?? next();
  });
  const { promise: listening, resolve } = Promise.withResolvers<AddressInfo>();
  const running = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, resolve) as Server;
  return { url: `http://127.0.0.1:${(await listening).port}`, server: running };
}
