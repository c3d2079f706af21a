import { expect } from "vitest";

/** The handler of a mount of a fetch host. */
type Mount = (request: Request, context: { readonly remoteAddress: string }) => Promise<Response | undefined>;

/** Posts JSON to a mount of a fetch host, as a page of the app does. Returns the answer, and the cookies that it sets. */
export async function postTo(mount: Mount, path: string, body: object, cookie = "") {
  const headers = { host: "localhost", "content-type": "application/json", "sec-fetch-site": "same-origin", cookie };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const request = new Request(`http://localhost${path}`, init);
  const answer = (await mount(request, { remoteAddress: "127.0.0.1" })) ?? expect.fail("There is no answer.");
  const cookies = answer.headers.getSetCookie().map((line) => line.split(";")[0]);
  const json: Record<string, string> = await answer.json();
  return { json, cookie: cookies.join("; "), status: answer.status };
}
