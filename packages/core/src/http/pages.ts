import { z } from "zod";
import type { DoorcodeError } from "../primitives/errors.ts";
import type { HttpResponse } from "./exchange.ts";
import { noStore } from "./problem.ts";

/** Where an HTML form is led after each step. */
export interface FormPages {
  /** The page with the forms; a refusal comes back to it as `?problem=code`. */
  readonly page: string;
  /** Where a finished login goes, unless the form names a path of this site in `next`. */
  readonly done: string;
}

const maxNextCharacters = 2000;
/** Stands for the app's origin, whatever it is. */
const here = "http://localhost";

/** Checks a page among options: a path of this site. */
export const ownPage: z.ZodType<string> = z
  .string('expected a path such as "/login"')
  .refine((text) => ownPath(text) !== undefined, 'expected a path of this site, such as "/login"');

/** Leads a browser on with 303, so that reload and back repeat no post. */
export function seeOther(location: string, cookies: readonly string[]): HttpResponse {
  return { status: 303, headers: { location, ...noStore }, cookies };
}

/** The page with the forms again, for the next step or with the problem of this one; `next` goes along. */
export function pageLocation({ page }: FormPages, next: string | undefined, problem?: DoorcodeError): string {
  return withQuery(page, {
    problem: problem?.code,
    retryAfterSeconds: problem?.retryAfterSeconds?.toString(),
    next: ownPath(next),
  });
}

/** Where a finished login goes. */
export function doneLocation({ done }: FormPages, next: string | undefined): string {
  return ownPath(next) ?? done;
}

/** Adds what is defined to the query of a page. */
export function withQuery(page: string, members: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(page, here);
  for (const [name, value] of Object.entries(members)) if (value !== undefined) url.searchParams.set(name, value);
  return `${url.pathname}${url.search}${url.hash}`;
}

/**
 * Reads a path of this site, written as a header can carry it; `undefined` for anything else.
 *
 * The parser that browsers use decides: to it, `//host`, `/\host` and a slash, a tab and a slash are other sites.
 */
function ownPath(text: string | undefined): string | undefined {
  if (!text?.startsWith("/") || text.length > maxNextCharacters) return undefined;
  const url = URL.parse(text, here);
  if (url?.origin !== here) return undefined;
  const path = `${url.pathname}${url.search}${url.hash}`;
  // What is left of `/.//host` once its dots are resolved.
  return path.startsWith("//") ? undefined : path;
}
