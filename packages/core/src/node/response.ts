import type { ServerResponse } from "node:http";
import type { HttpResponse } from "../http/exchange.ts";

/** Sends an answer of core. Its cookies are added to those that the app sets before or after. */
export function sendNodeResponse(response: ServerResponse, { status, headers, cookies, body }: HttpResponse): void {
  response.statusCode = status;
  // Headers are set one by one: `writeHead` would replace the cookies that express-session adds in it.
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (cookies.length > 0) response.appendHeader("set-cookie", cookies);
  if (body !== undefined) response.setHeader("content-length", Buffer.byteLength(body));
  response.end(body);
}
