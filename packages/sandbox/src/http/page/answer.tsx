import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { Document } from "../../page/frame/document.tsx";
import type { PageDesk } from "./desk.ts";
import { type Framed, frameOf } from "./frame.ts";

/** A view, and what the frame around it has to know. */
export interface PageView extends Framed {
  readonly children: Child;
  /** Default 200. */
  readonly status?: 200 | 404;
}

/** Answers a view within its frame, under a policy that lets nothing run or load but the page's own. */
export function answerPage(c: Context, desk: PageDesk, view: PageView): Response | Promise<Response> {
  const nonce = randomBytes(16).toString("base64");
  c.header("content-security-policy", policy(nonce));
  const notice = desk.notices.take(c.req.query("flash"));
  const frame = frameOf(desk.parts.service, view, notice);
  return c.html(
    <Document frame={frame} nonce={nonce}>
      {view.children}
    </Document>,
    view.status ?? 200,
  );
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
