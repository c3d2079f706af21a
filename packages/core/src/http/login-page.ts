import type { Purpose } from "../codes/code-strategy.ts";
import type { LoginOffer } from "../login/state.ts";
import { cacheable, noStore } from "./answers.ts";
import type { HttpResponse } from "./exchange.ts";
import type { LoginState } from "./login-state.ts";

/** What the page of a login shows. */
export interface ShownLogin {
  readonly state: LoginState;
  readonly offer: LoginOffer;
  readonly purpose: Purpose;
  /** The path of the mount, as the browser sees it. */
  readonly basePath: string;
  /** The query of the page: the problem of a refused form, and `next`. */
  readonly query: Readonly<Record<string, string>>;
  /** The languages that the browser prefers: the header `Accept-Language`. */
  readonly acceptLanguage: string | undefined;
}

/** A file that the page loads. */
export interface LoginPageFile {
  readonly contentType: string;
  readonly text: string;
}

/** The page of a login, which its mount serves. `loginPage` of `@doorcode/browser/server` creates one. */
export interface LoginPage {
  /** The path to go to after the login. */
  readonly done: string;
  /** The files that the page loads, by their path below the mount, such as `/page.js`. */
  readonly files: Readonly<Record<string, LoginPageFile>>;
  /** Returns the HTML of the page. Scripts and styles that stand in it do not run: the page loads them as files. */
  render(shown: ShownLogin): string;
}

/** Scripts and styles of the mount, requests to the site itself, and nothing else. No other site may frame the page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Answers a GET of the page. It shows the state of one browser, so no cache keeps it. */
export function answerPage(page: LoginPage, shown: ShownLogin): HttpResponse {
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      ...noStore,
    },
    cookies: [],
    body: page.render(shown),
  };
}

/** Answers a GET of a file of the page. */
export function answerFile({ contentType, text }: LoginPageFile): HttpResponse {
  const headers = { "content-type": contentType, "x-content-type-options": "nosniff" };
  return cacheable({ status: 200, headers, cookies: [], body: text });
}
