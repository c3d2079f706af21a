import type { LoginTokens } from "@doorcode/core";
import type { Answer } from "./browser.ts";
import { assertDescribed } from "./described-answers.ts";

/** An app on a phone: it speaks JSON, keeps tokens and has neither cookies nor an origin. */
export interface PhoneApp {
  /** The tokens that it was given last. A test may change them. */
  readonly tokens: { -readonly [Name in keyof LoginTokens]: LoginTokens[Name] };
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Opens another app with the same tokens, as a thief would. */
  copy(): PhoneApp;
}

/** Opens an app on a phone. It fails if an answer of the kit sets a cookie. */
export function openPhoneApp(url: string, tokens: PhoneApp["tokens"] = {}): PhoneApp {
  async function send(path: string, { headers, ...init }: RequestInit): Promise<Answer> {
    const response = await fetch(`${url}${path}`, { ...init, headers: { ...tokenHeaders(tokens), ...headers } });
    const cookies = response.headers.getSetCookie().filter((cookie) => !/^(?:early|late)=/.test(cookie));
    if (cookies.length > 0) throw new Error(`${path} sets a cookie for an app with tokens: ${cookies[0]}`);
    const text = await response.text();
    const json = text.startsWith("{") ? JSON.parse(text) : {};
    for (const name of ["transactionToken", "sessionToken", "deviceToken"] as const) {
      if (name in json) tokens[name] = json[name];
    }
    const contentType = response.headers.get("content-type");
    assertDescribed({ method: init.method ?? "GET", path, status: response.status, contentType, json });
    return { status: response.status, headers: response.headers, text, json };
  }

  return {
    tokens,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, body = {}, headers = {}) =>
      send(path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    copy: () => openPhoneApp(url, { ...tokens }),
  };
}

/** Returns the headers of a client that has these tokens. */
export function tokenHeaders({ sessionToken, transactionToken, deviceToken }: LoginTokens): Record<string, string> {
  return {
    "doorcode-transport": "bearer",
    ...(sessionToken !== undefined && { authorization: `Bearer ${sessionToken}` }),
    ...(transactionToken !== undefined && { "doorcode-transaction": transactionToken }),
    ...(deviceToken !== undefined && { "doorcode-device": deviceToken }),
  };
}
