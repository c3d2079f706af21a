import type { HttpResponse } from "@doorcode/core/adapter";

/** Creates the `Response` of an answer of core. `headers` holds the headers that the app's own sessions have set. */
export function createFetchResponse(answer: HttpResponse, { method }: Request, headers: Headers): Response {
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, value);
  for (const cookie of answer.cookies) headers.append("set-cookie", cookie);
  return new Response(method === "HEAD" ? null : (answer.body ?? null), { status: answer.status, headers });
}
