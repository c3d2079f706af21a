import { randomBytes } from "node:crypto";
import { EmptyNote } from "@doorcode/operations/page-parts";
import { type Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { applicationOf, readBytes } from "../../http/read-request.ts";
import { refusalOf, refusalText } from "../../http/refuse.ts";
import { Refusal } from "../../primitives/errors.ts";
import { type CheckedAccount, createAccount } from "../../sandbox/account.ts";
import { type CheckedApplication, openApplication } from "../../sandbox/sandbox-application.ts";
import type { SandboxDeps } from "../../sandbox/sandbox-deps.ts";
import type { Application } from "../../state/application.ts";
import { withQuery } from "../components/paths.ts";
import { pageDocument } from "../layout/document.tsx";
import { layoutData, type Notice, type SectionName } from "../layout/layout-data.ts";

/** The parts that all routes of the page share. */
export interface PageContext {
  readonly deps: SandboxDeps;
  readonly notices: Notices;
}

/** The notices that wait for the next page. */
export interface Notices {
  /** Keeps a notice and returns its token, for the query `flash` of the next page. A token reveals nothing. */
  keep(notice: Notice): string;
  /** Returns and removes a notice; undefined when there is none with this token. */
  take(token: string | undefined): Notice | undefined;
}

/** A page that is never requested must not keep its notice forever. */
const maxNotices = 100;

/** Creates an empty list of notices. */
export function createNotices(): Notices {
  const notices = new Map<string, Notice>();
  return {
    keep(notice) {
      const token = randomBytes(16).toString("base64url");
      notices.set(token, notice);
      const [oldest] = notices.keys();
      if (notices.size > maxNotices && oldest !== undefined) notices.delete(oldest);
      return token;
    },
    take(token = "") {
      const notice = notices.get(token);
      notices.delete(token);
      return notice;
    },
  };
}

/** A request for a page of an application. It is also the properties of the cards of the portal. */
export interface PageRequest {
  readonly deps: SandboxDeps;
  readonly application: Application;
  /** The application, as a program has it. */
  readonly sandbox: CheckedApplication;
  /** The account that all applications share. */
  readonly account: CheckedAccount;
  /** Now, in Unix milliseconds on the application's clock. */
  readonly now: number;
  /** The origin of the sandbox, as the browser knows it. */
  readonly origin: string;
  /** Returns a parameter of the path. */
  readonly param: (name: string) => string;
  readonly query: Readonly<Record<string, string>>;
  /** The search text of the query. */
  readonly search: string;
}

/** A submitted form and what its handler needs. */
export interface FormRequest extends PageRequest {
  readonly form: Form;
  /** Sets how the browser continues. By default it returns to the page with the form. */
  readonly answer: (answer: FormAnswer) => void;
}

/** The page after a form, and its notice. */
interface FormAnswer {
  readonly to?: string;
  readonly notice?: Notice;
}

/** The handlers of forms, by path below the path of an application. */
export type FormHandlers = Readonly<Record<string, (request: FormRequest) => unknown>>;

/** A view and its place in the layout. */
export interface PageView {
  readonly title: string;
  readonly children: Child;
  readonly status?: 200 | 404;
}

/** Returns the view of a record that is gone. */
export function goneView(record: string): PageView {
  return { title: "Not found", children: <EmptyNote>This {record} no longer exists.</EmptyNote>, status: 404 };
}

/** A section of the page: its views and its forms, by path below the path of an application. */
export interface PageSection {
  readonly name: SectionName;
  readonly views: Readonly<Record<string, (request: PageRequest) => PageView>>;
  readonly forms: FormHandlers;
}

/** Creates the routes of a section. After each form the browser continues with a page. When the form is refused, that page shows why. */
export function createSectionRoutes(context: PageContext, { name, views, forms }: PageSection): Hono {
  const routes = new Hono();
  for (const [path, view] of Object.entries(views)) {
    routes.get(path, (c) => renderPage(c, context, name, view));
  }
  for (const [path, handle] of Object.entries(forms)) {
    routes.post(path, (c) => handleForm(c, context, handle));
  }
  return routes;
}

function readPageRequest(c: Context, deps: SandboxDeps): PageRequest {
  const application = applicationOf(deps, c);
  const { origin } = new URL(c.req.url);
  const query = c.req.query();
  return {
    deps,
    application,
    sandbox: openApplication(deps, origin, application.id),
    account: createAccount(deps),
    now: deps.scheduler.now(application.id),
    origin,
    param: (name) => c.req.param(name) ?? "",
    query,
    search: (query.q ?? "").trim(),
  };
}

/** Answers a view in its layout. The content security policy allows only the page's own scripts and styles. */
export function renderPage(
  c: Context,
  { deps, notices }: PageContext,
  section: SectionName,
  view: (request: PageRequest) => PageView,
): Response | Promise<Response> {
  const request = readPageRequest(c, deps);
  const { title, children, status = 200 } = view(request);
  const nonce = createNonce(c);
  const notice = notices.take(request.query.flash);
  const layout = layoutData(deps, request.application, { section, title, notice });
  return c.html(pageDocument(layout, nonce, children), status);
}

/** Sets the content security policy of the answer and returns the nonce of its scripts and styles. */
export function createNonce(c: Context): string {
  const nonce = randomBytes(16).toString("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  c.header("content-security-policy", policy.join("; "));
  return nonce;
}

async function handleForm(c: Context, { deps, notices }: PageContext, handle: FormHandlers[string]): Promise<Response> {
  const form = await readForm(c);
  let result: FormAnswer = {};
  try {
    const answer = (given: FormAnswer) => {
      result = given;
    };
    await handle({ ...readPageRequest(c, deps), form, answer });
  } catch (error) {
    result = { notice: { kind: "problem", text: refusalText(refusalOf(error)) } };
  }
  const flash = result.notice && notices.keep(result.notice);
  return c.redirect(withQuery(result.to ?? pageOfForm(c), { flash }), 303);
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
  /** Returns all fields as an object, each value without surrounding spaces and converted. */
  members(convert: (name: string, value: string) => unknown): object;
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
    members: (convert) => Object.fromEntries([...fields].map(([name, value]) => [name, convert(name, value.trim())])),
  };
}

/** Converts a text to a number if it is one. */
export function toNumber(text: string | undefined): number | string | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}
