import { assertDescribed } from "./described-answers.ts";

/** An answer with its whole body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; an empty object when it is not JSON. */
  readonly json: Record<string, unknown>;
}

/** Returns the seconds that a refusal says to wait. Compare them roughly: the time of a server goes on during a test. */
export function secondsToWait({ headers }: Answer): number {
  return Number(headers.get("retry-after") ?? Number.NaN);
}

/** Returns the code of a refusal, or else the status of the login. */
export function outcomeOf({ json }: Answer): unknown {
  return json.code ?? json.status;
}

/** The parts of a browser that a login needs: cookies, and the headers that name the origin of a request. */
export interface Browser {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Posts JSON from a page of the app. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Submits an HTML form of the app; redirects are not followed. */
  submit(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
  /** Any other request, with the cookies but nothing else added. */
  send(path: string, init: RequestInit): Promise<Answer>;
  /** Opens another browser with the same cookies, as a thief would. */
  copy(): Browser;
}

/** Opens a browser on an app. It fails if an answer of a login is not as its OpenAPI document says. */
export function openBrowser(url: string, cookies: Map<string, string> = new Map()): Browser {
  const own = { "sec-fetch-site": "same-origin" };

  async function send(path: string, init: RequestInit): Promise<Answer> {
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await fetch(`${url}${path}`, { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) keep(cookies, cookie);
    const text = await response.text();
    const answer = { status: response.status, headers: response.headers, text, json: parse(text) };
    const contentType = response.headers.get("content-type");
    assertDescribed({ ...answer, method: init.method ?? "GET", path, contentType });
    return answer;
  }

  return {
    cookies,
    send,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, body = {}, headers = own) =>
      send(path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    submit: (path, fields, headers = own) => send(path, { method: "POST", headers, body: new URLSearchParams(fields) }),
    copy: () => openBrowser(url, new Map(cookies)),
  };
}

function keep(cookies: Map<string, string>, setCookie: string): void {
  const [pair = "", ...attributes] = setCookie.split(";");
  const equals = pair.indexOf("=");
  const name = pair.slice(0, equals);
  const dropped = attributes.some((attribute) => attribute.trim().toLowerCase() === "max-age=0");
  if (dropped) cookies.delete(name);
  else cookies.set(name, pair.slice(equals + 1));
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
