import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { SandboxDeps } from "../../sandbox/sandbox-deps.ts";
import { Document } from "../layout/document.tsx";
import { layoutData, type Notice, type ViewInfo } from "../layout/layout-data.ts";

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

/** A view and its place in the layout. */
interface PageView extends ViewInfo {
  readonly children: Child;
  readonly status?: 200 | 404;
}

/** Answers a view in its layout. The content security policy allows only the page's own scripts and styles. */
export function renderPage(c: Context, { deps, notices }: PageContext, view: PageView): Response | Promise<Response> {
  const nonce = createNonce(c);
  const notice = notices.take(c.req.query("flash"));
  return c.html(
    <Document layout={layoutData(deps, view, notice)} nonce={nonce}>
      {view.children}
    </Document>,
    view.status ?? 200,
  );
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
