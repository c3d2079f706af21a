import { z } from "zod";
import type { Purpose } from "../codes/code-strategy.ts";
import type { LoginOffer, LoginState } from "../login/state.ts";
import { DoorcodeError, type ErrorCode, type ErrorDetails } from "../util/errors.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";

/** The document with a section for each code. */
const problemsDocument = "https://github.com/doorcode/doorcode/blob/main/docs/problems.md";

/** The header that keeps caches from storing an answer. Nearly every answer of the kit depends on the client and the time. */
const noStore = { "cache-control": "no-store" } as const;

/** The header of an answer to a request whose body is not read: the connection ends with the answer. */
export const closeConnection = { connection: "close" } as const;

/** Creates an answer 200 with a JSON body. */
export function jsonResponse(body: unknown, cookies: readonly string[] = []): HttpResponse {
  return {
    status: 200,
    headers: { "content-type": "application/json", ...noStore },
    cookies,
    body: JSON.stringify(body),
  };
}

/**
 * Lets a client keep an answer that is the same for all, for five minutes. A cache that many clients share may not: an app may send
 * a session's cookie with every answer, and the cache would hand it out to all of them.
 */
export function cacheable(response: HttpResponse): HttpResponse {
  return { ...response, headers: { ...response.headers, "cache-control": "private, max-age=300" } };
}

/** Creates the answer of a refusal: an RFC 9457 problem document with the stable `code` beside the standard members. */
export function problem(error: DoorcodeError, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  const { code, status, title, message, retryAfterSeconds, members } = error;
  const document = {
    type: `${problemsDocument}#${code}`,
    title,
    status,
    code,
    ...(message !== title && { detail: message }),
    retryAfterSeconds,
    ...members,
  };
  return {
    status,
    cookies: [],
    headers: {
      "content-type": "application/problem+json",
      ...noStore,
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
      // The connection cannot be reused.
      ...(leavesBodyUnread(error) && closeConnection),
      ...headers,
    },
    body: JSON.stringify(document),
  };
}

/** Tells whether the reading of a body ended with this error before the body did. */
export function leavesBodyUnread({ code }: DoorcodeError): boolean {
  return code === "body_too_large" || code === "body_too_slow" || code === "server_busy";
}

/** Creates the answer of a refusal by its code. */
export function refuse(
  code: ErrorCode,
  details?: ErrorDetails,
  headers?: Readonly<Record<string, string>>,
): HttpResponse {
  return problem(new DoorcodeError(code, details), headers);
}

/** Creates a redirect with 303, so that reload and back do not repeat a POST. */
export function seeOther(location: string, cookies: readonly string[] = []): HttpResponse {
  return { status: 303, headers: { location, ...noStore }, cookies };
}

/** The pages to which HTML forms are redirected. */
export interface FormPages {
  /** The page with the forms. A refusal is redirected to it with `?problem=code`. */
  readonly page: string;
  /** The page after a finished login. A path of this site in the form's `next` replaces it. */
  readonly done: string;
}

/** Returns the location of the page with the forms, with the problem of the last step and with `next`. */
export function pageLocation({ page }: FormPages, next: string | undefined, problem?: DoorcodeError): string {
  return withQuery(page, {
    problem: problem?.code,
    retryAfterSeconds: problem?.retryAfterSeconds?.toString(),
    next: ownPath(next),
  });
}

/** Returns the location after a finished login, in the form that a header may have. */
export function doneLocation({ done }: FormPages, next: string | undefined): string {
  return ownPath(next) ?? withQuery(done, {});
}

const baseOrigin = "http://localhost";

/** Adds the defined members to the query of a page. */
export function withQuery(page: string, members: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(page, baseOrigin);
  for (const [name, value] of Object.entries(members)) if (value !== undefined) url.searchParams.set(name, value);
  return `${url.pathname}${url.search}${url.hash}`;
}

const maxNextCharacters = 2000;

/**
 * Returns a path of this site in the form that a header may have; `undefined` for any other text. The URL parser
 * decides, as in browsers: it reads `//host`, `/\host`, and a slash, a tab and a slash as other sites.
 */
function ownPath(text: string | undefined): string | undefined {
  if (!text?.startsWith("/") || text.length > maxNextCharacters) return undefined;
  const url = URL.parse(text, baseOrigin);
  if (url?.origin !== baseOrigin) return undefined;
  const path = `${url.pathname}${url.search}${url.hash}`;
  // `/.//host` becomes `//host` when its dots are resolved.
  return path.startsWith("//") ? undefined : path;
}

/** The shape of an option that is a page: a path of this site. @internal */
export const ownPage: z.ZodType<string> = z
  .string('expected a path such as "/login"')
  .refine((text) => ownPath(text) !== undefined, 'expected a path of this site, such as "/login"');

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
  /** The wordings of the line of consent, by the version that the page sends with a start. */
  readonly consents?: ReadonlyMap<string, string>;
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
export function answerPage(
  page: LoginPage,
  { basePath, query, headers }: HttpRequest,
  login: Pick<ShownLogin, "state" | "offer" | "purpose">,
): HttpResponse {
  const acceptLanguage = String(headers["accept-language"] ?? "");
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
    body: page.render({ ...login, basePath, query: Object.fromEntries(new URLSearchParams(query)), acceptLanguage }),
  };
}

/** Answers a GET of a file of the page. */
export function answerFile({ contentType, text }: LoginPageFile): HttpResponse {
  const headers = { "content-type": contentType, "x-content-type-options": "nosniff" };
  return cacheable({ status: 200, headers, cookies: [], body: text });
}
