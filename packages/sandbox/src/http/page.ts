import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { envLines, envOf } from "../credentials.ts";
import { createInbox } from "../inbox.ts";
import { type PageContent, pageDocument, pageMain } from "../page/document.ts";
import { deliveriesOf } from "../state/state.ts";
import type { AppParts } from "./app-parts.ts";

/** How much of the inbox and of the deliveries the page shows: the newest. */
const shown = 200;

/** The inbox page: one document that reaches nothing but this server, and the part of it that changes. */
export function createPage({ service: { state }, application, closed }: AppParts): Hono {
  const inbox = createInbox(state, application().id, closed);

  function contentFor(requestUrl: string): PageContent {
    const { id, endpoints, ...credentials } = application();
    return {
      env: envLines(envOf(new URL(requestUrl).origin, credentials)),
      messages: inbox.list().slice(-shown).reverse(),
      deliveries: deliveriesOf(state, id).slice(-shown).reverse(),
      endpoints,
    };
  }

  return new Hono()
    .get("/", (c) => {
      const nonce = randomBytes(16).toString("base64");
      c.header("content-security-policy", policy(nonce));
      return c.html(pageDocument(contentFor(c.req.url), nonce));
    })
    .get("/_sandbox/page", (c) => c.html(pageMain(contentFor(c.req.url))));
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
