import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { listen } from "./listen.ts";

/**
 * Starts a proxy in front of an app; it ends with the test. It appends its client's address to `X-Forwarded-For`, as if the
 * client had connected from there.
 *
 * @returns the URL of the proxy.
 */
export function startHttpProxy(target: string, clientAddress: string): Promise<string> {
  return startProxy(target, clientAddress, (response, answer) => void response.pipe(answer));
}

/**
 * Starts a proxy that sends nothing on before it has a whole answer, as company proxies and virus scanners do; it ends with the
 * test.
 *
 * @returns the URL of the proxy.
 */
export function startBufferingProxy(target: string): Promise<string> {
  return startProxy(target, "127.0.0.1", async (response, answer) => {
    answer.end(Buffer.concat(await response.toArray()));
  });
}

async function startProxy(
  target: string,
  clientAddress: string,
  relay: (response: IncomingMessage, answer: ServerResponse) => void,
): Promise<string> {
  const server = createServer((incoming, answer) => {
    const { method, url = "/", headers } = incoming;
    const addresses = [headers["x-forwarded-for"] ?? [], clientAddress].flat().join(", ");
    const outgoing = request(new URL(url, target), {
      method,
      headers: { ...headers, "x-forwarded-for": addresses, connection: "close" },
    });
    outgoing.once("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      relay(response, answer);
    });
    outgoing.once("error", () => answer.destroy());
    incoming.pipe(outgoing);
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return url;
}
