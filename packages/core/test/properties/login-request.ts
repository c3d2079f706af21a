import type { Body, HttpRequest } from "../../src/http/exchange.ts";

/** Creates a request of which only headers and body are read. */
export function createRequest(headers: HttpRequest["headers"], body: Body): HttpRequest {
  return {
    method: "POST",
    basePath: "/login",
    path: "/start",
    query: "",
    headers,
    remoteAddress: undefined,
    closed: new AbortController().signal,
    readBody: async () => body,
  };
}
