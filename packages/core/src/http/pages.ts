import { z } from "zod";
import type { DoorcodeError } from "../util/errors.ts";
import type { HttpResponse } from "./exchange.ts";
import { noStore } from "./problem.ts";

/** The pages to which HTML forms are redirected. */
export interface FormPages {
  /** The page with the forms. A refusal is redirected to it with `?problem=code`. */
  readonly page: string;
  /** The page after a finished login. A path of this site in the form's `next` replaces it. */
  readonly done: string;
}

const maxNextCharacters = 2000;
/** A placeholder for the app's origin. */
const baseOrigin = "http://localhost";

/**
 * The shape of an option that is a page: a path of this site.
 *
 * @internal
 */
export const ownPage: z.ZodType<string> = z
  .string('expected a path such as "/login"')
  .refine((text) => ownPath(text) !== undefined, 'expected a path of this site, such as "/login"');

/** Creates a redirect with 303, so that reload and back do not repeat a POST. */
export function seeOther(location: string, cookies: readonly string[]): HttpResponse {
  return { status: 303, headers: { location, ...noStore }, cookies };
}

/** Returns the location of the page with the forms, with the problem of the last step and with `next`. */
export function pageLocation({ page }: FormPages, next: string | undefined, problem?: DoorcodeError): string {
  return withQuery(page, {
    problem: problem?.code,
    retryAfterSeconds: problem?.retryAfterSeconds?.toString(),
    next: ownPath(next),
  });
}

/** Returns the location after a finished login. */
export function doneLocation({ done }: FormPages, next: string | undefined): string {
  return ownPath(next) ?? done;
}

/** Adds the defined members to the query of a page. */
export function withQuery(page: string, members: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(page, baseOrigin);
  for (const [name, value] of Object.entries(members)) if (value !== undefined) url.searchParams.set(name, value);
  return `${url.pathname}${url.search}${url.hash}`;
}

/**
 * Returns a path of this site in the form that a header may have; `undefined` for any other text.
 *
 * The URL parser decides, as it does in browsers: it reads `//host`, `/\host`, and a slash, a tab and a slash as other
 * sites.
 */
function ownPath(text: string | undefined): string | undefined {
  if (!text?.startsWith("/") || text.length > maxNextCharacters) return undefined;
  const url = URL.parse(text, baseOrigin);
  if (url?.origin !== baseOrigin) return undefined;
  const path = `${url.pathname}${url.search}${url.hash}`;
  // `/.//host` becomes `//host` when its dots are resolved.
  return path.startsWith("//") ? undefined : path;
}
