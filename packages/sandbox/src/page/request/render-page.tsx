import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { Document } from "../layout/document.tsx";
import { layoutData, type ViewInfo } from "../layout/layout-data.ts";
import type { PageContext } from "./page-context.ts";

/** A view and its place in the layout. */
export interface PageView extends ViewInfo {
  /** The view. */
  readonly children: Child;
  /** The HTTP status. Default 200. */
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
