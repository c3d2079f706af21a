import { html } from "hono/html";
import type { InboxMessage } from "../inbox.ts";
import type { MessageStep } from "../state/message.ts";
import type { Html } from "./html.ts";

/** One thread per number and channel, the one with the newest message first. */
export function inboxThreads(messages: readonly InboxMessage[]): Html {
  if (messages.length === 0) {
    return html`<p class="empty">Nothing yet. Messages and codes stand here as soon as they are sent.</p>`;
  }
  const threads = Map.groupBy(messages, ({ to, channel }) => `${to} ${channel}`);
  return html`${[...threads.values()].map(thread)}`;
}

function thread(messages: InboxMessage[]): Html {
  const [newest] = messages;
  return html`<article class="thread">
    <h3>${newest?.to} <span class="tag">${newest?.channel}</span></h3>
    <ol>${messages.map(bubble)}</ol>
  </article>`;
}

function bubble({ text, code, sender, segments, status, timeline }: InboxMessage): Html {
  return html`<li class="bubble">
    ${code !== undefined && copyableCode(code)}
    <p>${text}</p>
    <footer>
      <span class="state ${status.toLowerCase()}">${status}</span>
      ${sender}
      ${segments > 1 && `${segments} segments`}
      <ol class="steps">${timeline.map(step)}</ol>
    </footer>
  </li>`;
}

function copyableCode(code: string): Html {
  return html`<button type="button" class="code" data-copy="${code}" aria-label="Copy code ${code}">${code}</button>`;
}

function step({ status, at }: MessageStep): Html {
  return html`<li>${status.toLowerCase()} <time datetime="${at}">${clockTime(at)}</time></li>`;
}

/** The time of day of an ISO instant, in UTC, to the millisecond. */
export function clockTime(instant: string): string {
  return instant.slice(11, 23);
}
