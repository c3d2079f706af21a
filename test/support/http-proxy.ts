import { createServer, request } from "node:http";
import { onTestFinished } from "vitest";
import { listen } from "./listen.ts";

/**
 * Starts a proxy in front of an app; it ends with the test. It appends its client's address to `X-Forwarded-For`, as if the
 * client had connected from there.
 *
 * @returns the URL of the proxy.
 */
export async function startHttpProxy(target: string, clientAddress: string): Promise<string> {
  const server = createServer((incoming, answer) => {
    const { method, url = "/", headers } = incoming;
    const addresses = [headers["x-forwarded-for"] ?? [], clientAddress].flat().join(", ");
    const outgoing = request(new URL(url, target), {
      method,
      headers: { ...headers, "x-forwarded-for": addresses, connection: "close" },
    });
    outgoing.once("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    outgoing.once("error", () => answer.destroy());
    incoming.pipe(outgoing);
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return url;
}
