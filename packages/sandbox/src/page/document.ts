import { html, raw } from "hono/html";
import type { InboxMessage } from "../inbox.ts";
import type { WebhookEndpoint } from "../state/application.ts";
import type { Delivery } from "../state/delivery.ts";
import { deliveryList } from "./delivery-list.ts";
import type { Html } from "./html.ts";
import { inboxThreads } from "./inbox-threads.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";

/** What the page shows, the newest first. */
export interface PageContent {
  readonly env: string;
  readonly messages: readonly InboxMessage[];
  readonly deliveries: readonly Delivery[];
  readonly endpoints: readonly WebhookEndpoint[];
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
  "%3Crect width='16' height='16' rx='4' fill='%232f6feb'/%3E%3Cpath d='M4 5h8v6H7l-2 2v-2H4z' fill='white'/%3E%3C/svg%3E";

/** What changes on the page; the script puts a newer one in its place. */
export function pageMain({ env, messages, deliveries, endpoints }: PageContent): Html {
  return html`<main>
  <section aria-labelledby="inbox">
    <h2 id="inbox">Inbox <small>${messages.length}</small></h2>
    ${inboxThreads(messages)}
  </section>
  <section aria-labelledby="deliveries">
    <h2 id="deliveries">Webhook deliveries <small>${deliveries.length}</small></h2>
    ${deliveryList(deliveries, endpoints)}
    <h2>Environment</h2>
    <pre class="env">${env}</pre>
    <button type="button" class="quiet" data-copy="${env}">Copy</button>
  </section>
</main>`;
}

/** The whole page, with the nonce that its policy names. */
export function pageDocument(content: PageContent, nonce: string): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Doorcode sandbox</title>
<link rel="icon" href="${icon}">
<style nonce="${nonce}">${raw(style)}</style>
</head>
<body>
<header>
  <h1>Doorcode sandbox</h1>
  <p id="live" role="status">connecting</p>
</header>
${pageMain(content)}
<script nonce="${nonce}">${raw(script)}</script>
</body>
</html>`;
}
