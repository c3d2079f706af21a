import { type Context, Hono } from "hono";
import { applicationOf, readBytes } from "../../http/read-request.ts";
import { refusalOf } from "../../http/refuse.ts";
import { Refusal } from "../../primitives/errors.ts";
import type { SandboxDeps } from "../../sandbox/sandbox-deps.ts";
import type { Application } from "../../state/application.ts";
import { withQuery } from "../components/paths.ts";
import type { Notice } from "../layout/layout-data.ts";
import type { PageContext } from "./render-page.tsx";

/** A submitted form and what its handler needs. */
export interface FormRequest {
  readonly deps: SandboxDeps;
  readonly form: Form;
  readonly application: Application;
  readonly param: (name: string) => string;
  readonly origin: string;
}

/** The result of a form. */
interface FormResult {
  readonly to?: string;
  readonly notice?: Notice;
}

/** The handlers of forms, by path. */
export interface FormHandlers {
  readonly returning?: Readonly<Record<string, (request: FormRequest) => void>>;
  readonly redirecting?: Readonly<Record<string, (request: FormRequest) => FormResult | Promise<FormResult>>>;
}

/** The path of an application. The paths of most forms begin with it. */
export const ofApplication = "/applications/:application";

/**
 * Creates the routes of forms. After each form the browser continues with a page. When the form is refused, that page
 * shows the reason.
 */
export function createFormRoutes(context: PageContext, { returning = {}, redirecting = {} }: FormHandlers): Hono {
  const routes = new Hono();
  for (const [path, handle] of Object.entries(redirecting)) {
    routes.post(path, (c) => handleForm(c, context, handle));
  }
  for (const [path, handle] of Object.entries(returning)) {
    const handleAndReturn = async (request: FormRequest): Promise<FormResult> => {
      await handle(request);
      return {};
    };
    routes.post(path, (c) => handleForm(c, context, handleAndReturn));
  }
  return routes;
}

async function handleForm(
  c: Context,
  { deps, notices }: PageContext,
  handle: (request: FormRequest) => FormResult | Promise<FormResult>,
): Promise<Response> {
  const form = await readForm(c);
  const { origin } = new URL(c.req.url);
  const param = (name: string) => c.req.param(name) ?? "";
  const result = await Promise.resolve()
    .then(() => handle({ deps, form, application: applicationOf(deps, c), param, origin }))
    .catch(toProblem);
  const path = result.to ?? pageOfForm(c);
  const flash = result.notice && notices.keep(result.notice);
  return c.redirect(path.includes("?") ? `${path}${flash ? `&flash=${flash}` : ""}` : withQuery(path, { flash }), 303);
}

function toProblem(error: unknown): FormResult {
  const { message, field } = refusalOf(error);
  return { notice: { kind: "problem", text: field ? `${field}: ${message}` : message } };
}

/** Returns the URL of the page with the submitted form if it is a page of this sandbox, else the path of the first page. */
export function pageOfForm(c: Context): string {
  const here = new URL(c.req.url);
  const referer = URL.parse(c.req.header("referer") ?? "");
  if (referer?.origin !== here.origin) return "/";
  referer.searchParams.delete("flash");
  return referer.href.replace(/#.*$/, "");
}

/** The fields of a submitted form. */
export interface Form {
  /** Returns a field without surrounding spaces; undefined when it is empty. */
  text(name: string): string | undefined;
  /** Returns a field as a number, or as text when it is not one, so that a later check can refuse it. */
  number(name: string): number | string | undefined;
  all(name: string): readonly string[];
  entries(): readonly (readonly [name: string, value: string])[];
}

/**
 * Reads a form as browsers send it.
 *
 * @throws Refusal `request.unsupported_media_type`; `request.too_large`
 */
export async function readForm(c: Context): Promise<Form> {
  const type = c.req.header("content-type") ?? "application/x-www-form-urlencoded";
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    throw new Refusal("request.unsupported_media_type", "Send Content-Type: application/x-www-form-urlencoded.");
  }
  const fields = new URLSearchParams(new TextDecoder().decode(await readBytes(c)));
  const text = (name: string) => fields.get(name)?.trim() || undefined;
  return {
    text,
    number: (name) => toNumber(text(name)),
    all: (name) => fields.getAll(name),
    entries: () => [...fields].map(([name, value]) => [name, value.trim()]),
  };
}

/** Converts a text to a number if it is one. */
export function toNumber(text: string | undefined): number | string | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}
