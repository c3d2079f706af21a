import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { createServiceClient, type ServiceClient, type ServiceOptions } from "../../src/service/client.ts";
import { apiKey } from "./mock-service.ts";

/** A real server on this machine that records its requests and counts its connections. */
export interface Loopback {
  readonly url: string;
  readonly requests: readonly string[];
  readonly connections: number;
}

/** Starts a server for one test. `answer` gets the number of the request, from 1. */
export async function startLoopback(
  answer: (response: ServerResponse, number: number) => void,
  port = 0,
): Promise<Loopback> {
  const requests: string[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    requests.push(`${request.method} ${request.url}`);
    answer(response, requests.length);
  });
  server.on("connection", () => connections++);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get connections() {
      return connections;
    },
  };
}

/** Waits, one turn of the event loop after another, until the condition is true. */
export async function reached(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

/** Sends a JSON answer. */
export function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Creates a client of the server. */
export function clientOf(server: Loopback, options: Partial<ServiceOptions> = {}): ServiceClient {
  return createServiceClient({ baseUrl: server.url, apiKey, ...options });
}

/** Catches a rejection that comes while the test still moves the clock. */
export function capture(promise: Promise<unknown>): { readonly error: Promise<unknown>; readonly settled: boolean } {
  let settled = false;
  const error = promise.then(
    () => {
      settled = true;
    },
    (reason: unknown) => {
      settled = true;
      return reason;
    },
  );
  return {
    error,
    get settled() {
      return settled;
    },
  };
}
