import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { envLines, envOf } from "../credentials.ts";
import { createInbox } from "../inbox.ts";
import { pageDocument } from "../page/document.ts";
import type { AppParts } from "./app.ts";

/** How much of the inbox and of the deliveries the page shows: the newest. */
const shown = 200;

/** The inbox page: one document that reaches nothing but this server. */
export function createPage({ service: { state }, applicationId, closed }: AppParts): Hono {
  const inbox = createInbox(state, applicationId, closed);
  return new Hono().get("/", (c) => {
    const application = state.applications.get(applicationId);
    if (!application) throw new Error("The default application is gone.");
    const nonce = randomBytes(16).toString("base64");
    c.header("content-security-policy", policy(nonce));
    const deliveries = state.deliveries.list().filter((delivery) => delivery.applicationId === applicationId);
    const page = {
      nonce,
      env: envLines(envOf(new URL(c.req.url).origin, application)),
      messages: inbox.list().slice(-shown).reverse(),
      deliveries: deliveries.slice(-shown).reverse(),
      endpoints: application.endpoints,
    };
    return c.html(pageDocument(page));
  });
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
