import { createServer } from "node:http";
import type { ServiceOptions } from "@doorcode/core/service";
import { onTestFinished } from "vitest";
import { listen } from "../support/listen.ts";

/** A service that lists messages. */
export interface ListingService {
  readonly options: ServiceOptions;
  /** The messages that it lists. */
  readonly messages: unknown[];
  /** How often it was asked. */
  readonly asked: number;
  /** Runs before each answer. An answer other than 200 lists nothing. */
  onAsked: () => Promise<number> | number;
}

/** Starts a service on the loopback. It ends with the test. */
export async function startListingService(): Promise<ListingService> {
  let asked = 0;
  const server = createServer(async (_request, response) => {
    asked += 1;
    const status = await service.onAsked();
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(status === 200 ? { messages: service.messages } : {}));
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  const service: ListingService = {
    options: { baseUrl: `${url}/v1`, apiKey: "sk_of_the_tests" },
    messages: [],
    get asked() {
      return asked;
    },
    onAsked: () => 200,
  };
  return service;
}
