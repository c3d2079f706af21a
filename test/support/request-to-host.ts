import { request } from "node:http";
import type { Answer } from "./browser.ts";

/** Sends a request whose `Host` header a test chooses; `fetch` does not let it. */
export function requestToHost(
  url: string,
  { method = "GET", headers, body }: { method?: string; headers: Record<string, string>; body?: string },
): Promise<Pick<Answer, "status" | "json">> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers, agent: false }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      const isJson = String(response.headers["content-type"]).includes("json");
      resolve({ status: response.statusCode ?? 0, json: isJson ? JSON.parse(text) : {} });
    });
    sending.on("error", reject).end(body);
  });
}
