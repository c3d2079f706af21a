import { html } from "hono/html";
import type { WebhookEndpoint } from "../state/application.ts";
import type { Delivery, DeliveryAttempt } from "../state/delivery.ts";
import type { Html } from "./html.ts";
import { clockTime } from "./inbox-threads.ts";

/** The deliveries with their attempts, and where events go. */
export function deliveryList(deliveries: readonly Delivery[], endpoints: readonly WebhookEndpoint[]): Html {
  return html`
    ${endpoints.length === 0 && html`<p class="empty">No endpoint is registered: start with --webhook-url.</p>`}
    <ul class="endpoints">${endpoints.map(({ url, events }) => html`<li>${url} <small>${events.join(", ")}</small></li>`)}</ul>
    ${deliveries.map(deliveryDetails)}`;
}

function deliveryDetails({ id, event, status, url, payload, attempts, nextAttemptAt, createdAt }: Delivery): Html {
  return html`<details id="${id}">
    <summary>
      <span class="state ${status}">${status}</span> ${event}
      <small>${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}</small>
      <time datetime="${createdAt}">${clockTime(createdAt)}</time>
    </summary>
    <p class="url">${url}</p>
    <ol>${attempts.map(attemptItem)}</ol>
    ${nextAttemptAt && html`<p>Next attempt at <time datetime="${nextAttemptAt}">${clockTime(nextAttemptAt)}</time></p>`}
    <pre>${payload}</pre>
  </details>`;
}

function attemptItem({ at, status, error, answer }: DeliveryAttempt): Html {
  return html`<li><time datetime="${at}">${clockTime(at)}</time> ${status ?? error} ${answer && html`<pre>${answer}</pre>`}</li>`;
}
