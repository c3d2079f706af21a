import type { DoorcodeError } from "../errors.ts";
import type { HttpResponse } from "./exchange.ts";
import { noStore } from "./problem.ts";

/** Where an HTML form is led after each step. */
export interface FormPages {
  /** The page with the forms; a refusal comes back to it as `?problem=code`. */
  readonly page: string;
  /** Where a finished login goes, unless the form names a path of this site in `next`. */
  readonly done: string;
}

/** Leads a browser on with 303, so that reload and back repeat no post. */
export function seeOther(location: string, cookies: readonly string[]): HttpResponse {
  return { status: 303, headers: { location, ...noStore }, cookies };
}

/** The page with the forms again, for the next step or with the problem of this one; `next` goes along. */
export function pageLocation({ page }: FormPages, next: string | undefined, problem?: DoorcodeError): string {
  const query = new URLSearchParams();
  if (problem) query.set("problem", problem.code);
  if (problem?.retryAfterSeconds !== undefined) query.set("retryAfterSeconds", String(problem.retryAfterSeconds));
  if (isOwnPath(next)) query.set("next", next);
  if (query.size === 0) return page;
  return `${page}${page.includes("?") ? "&" : "?"}${query}`;
}

/** Where a finished login goes. */
export function doneLocation({ done }: FormPages, next: string | undefined): string {
  return isOwnPath(next) ? next : done;
}

/**
 * Tells whether a text is a path of this site. `//host` and `/\host` are other sites to a browser, which also drops tabs
 * and line breaks before it looks.
 */
function isOwnPath(next: string | undefined): next is string {
  return next !== undefined && /^\/(?![/\\])[^\p{Cc}\\]*$/u.test(next);
}
