import type { DoorcodeEvent } from "@doorcode/core";
import { maskDigits, summarizeError } from "@doorcode/core/adapter";
import { addAction, addGroup, addWebhook, errorText, type WebhookOutcome } from "./entries.ts";
import { addCount, addOpen, addTime, type Figures } from "./figures.ts";

/** The properties by which figures can be filtered, one at a time. */
export const dimensions = ["country", "channel", "purpose", "release"] as const;

/** A property by which figures can be filtered. */
export type Dimension = (typeof dimensions)[number];

type Properties = { readonly [Each in Dimension]?: string | undefined };
type EventOf<Type extends string> = Extract<DoorcodeEvent, { readonly type: Type }>;

/** Counts what an event says into figures. */
export type Measure = (event: DoorcodeEvent, figures: Figures, at: number) => void;

/** Creates the function that counts the events of a process, which runs one release of the app. `currentRelease` returns it once it is known. */
export function createMeasure(currentRelease: () => string | undefined = () => undefined): Measure {
  /** The keys of events whose handler has failed in this process, the newest ones. */
  const failedKeys = new Set<string>();

  return (event, figures, at) => {
    if (isOf(event, "login.")) measureLogin(event, figures, at, currentRelease());
    else if (isOf(event, "webhook.")) measureWebhook(event, figures, at, failedKeys);
    else if (event.type === "operator.acted") noteAction(figures, at, event);
    else {
      const metric = event.type === "store.failed" ? "store_failed" : "inbox_failed";
      because(figures, at, metric, "error", errorCode(event.error));
    }
  };
}

/** Counts in total, and once for each property, but not for their combinations, of which there would be thousands. */
function each(figures: Figures, at: number, metric: string, properties: Properties): void {
  addCount(figures, metric, at);
  for (const dimension of dimensions) {
    const value = properties[dimension];
    if (!value) continue;
    // The name of a release was checked at start.
    addCount(figures, `${metric}|${dimension}:${dimension === "release" ? value : plain(value)}`, at);
  }
}

function measureLogin(
  event: EventOf<`login.${string}`>,
  figures: Figures,
  at: number,
  release: string | undefined,
): void {
  const count = (metric: string, properties: Properties) => each(figures, at, metric, { ...properties, release });
  switch (event.type) {
    case "login.started":
      count("started", event);
      time(figures, "start", event.durationSeconds, event);
      break;
    case "login.code_sent":
      count("sent", event);
      addOpen(figures, plain(event.country ?? ""), at - event.durationSeconds * 1000, 1);
      break;
    case "login.send_failed":
      count("send_failed", event);
      because(figures, at, "send_failed", "error", errorCode(event.error), event.country);
      break;
    case "login.code_delivered":
      count("delivered", event);
      time(figures, "delivery", event.deliverySeconds, event);
      break;
    case "login.code_undelivered":
      count("undelivered", event);
      break;
    case "login.code_rejected":
      count("rejected", event);
      break;
    case "login.completed":
      count("confirmed", event);
      time(figures, "confirm", event.sinceCodeSeconds, event);
      addOpen(figures, plain(event.country ?? ""), at - event.sinceCodeSeconds * 1000, -1);
      break;
    case "login.unfinished":
      count("unfinished", event);
      because(figures, at, "unfinished", "error", errorCode(event.error), event.country);
      break;
    case "login.refused": {
      const metric = event.step === "start" || event.step === "resend" ? "not_sent" : "refused";
      count(metric, event);
      because(figures, at, metric, "code", event.code, event.country);
      break;
    }
    case "login.send_decided":
      if (event.onAlert) addCount(figures, `alert|country:${plain(event.country)}`, at);
      if (event.outcome === "allowed" || event.outcome === "trusted") break;
      because(figures, at, event.outcome, "limit", event.limit ?? "app", event.country);
      noteGroup(figures, at, event);
      break;
    default:
  }
}

function measureWebhook(
  event: EventOf<`webhook.${string}`>,
  figures: Figures,
  at: number,
  failedKeys: Set<string>,
): void {
  if (verified.has(event.type)) addCount(figures, "delivery", at);
  switch (event.type) {
    case "webhook.handled":
      addCount(figures, "handled", at);
      time(figures, "lag", event.lagSeconds);
      if (failedKeys.delete(event.key) || event.retried) noteWebhook(figures, at, "handled", event);
      break;
    case "webhook.failed":
      remember(failedKeys, event.key);
      because(figures, at, "webhook_failed", "error", errorCode(event.error));
      noteWebhook(figures, at, "failed", event);
      break;
    case "webhook.stale":
    case "webhook.superseded":
      if (failedKeys.delete(event.key) || event.retried) noteWebhook(figures, at, "overtaken", event);
      break;
    case "webhook.dead_lettered":
      noteWebhook(figures, at, "dead_lettered", event);
      break;
    case "webhook.refused":
    case "webhook.unreadable":
      because(figures, at, "webhook_refused", "reason", event.reason);
      break;
    case "webhook.body_already_read":
      because(figures, at, "webhook_refused", "reason", "body_already_read");
      break;
    case "webhook.reconciled":
      addCount(figures, "lost", at, event.accepted);
      break;
    default:
  }
}

function isOf<Prefix extends "login." | "webhook.">(
  event: DoorcodeEvent,
  prefix: Prefix,
): event is EventOf<`${Prefix}${string}`> {
  return event.type.startsWith(prefix);
}

/** Events of deliveries whose signature was right. */
const verified: ReadonlySet<string> = new Set([
  "webhook.persisted",
  "webhook.handled",
  "webhook.failed",
  "webhook.duplicate",
  "webhook.stale",
]);

/** Counts why something failed, and the one combination: by country. */
function because(
  figures: Figures,
  at: number,
  metric: string,
  property: string,
  reason: string,
  country?: string,
): void {
  addCount(figures, `${metric}|${property}:${plain(reason)}`, at);
  if (country) addCount(figures, `${metric}|country:${plain(country)}|${property}:${plain(reason)}`, at);
}

function time(
  figures: Figures,
  metric: string,
  seconds: number | undefined,
  { country, channel }: Properties = {},
): void {
  if (seconds === undefined) return;
  addTime(figures, metric, seconds);
  if (country) addTime(figures, `${metric}|country:${plain(country)}`, seconds);
  if (channel) addTime(figures, `${metric}|channel:${plain(channel)}`, seconds);
}

function noteWebhook(
  { webhooks }: Figures,
  at: number,
  outcome: WebhookOutcome,
  event: { readonly key: string; readonly kind: string; readonly error?: unknown },
): void {
  const entry = { at, outcome, kind: plain(event.kind), failures: 0 };
  if (outcome === "failed") {
    const error = errorText(summarizeError(event.error));
    addWebhook(webhooks, event.key, { ...entry, failures: 1, firstFailureAt: at, lastFailureAt: at, error });
  } else addWebhook(webhooks, event.key, { ...entry, ...(outcome === "dead_lettered" && { deadAt: at }) });
}

/** Notes what a closed group has refused, and what has closed it: the logins before the one that was too many. */
function noteGroup({ groups }: Figures, at: number, event: EventOf<"login.send_decided">): void {
  const { group, limit = "app", closedForSeconds, count = 0, counted = "unconfirmed" } = event;
  if (event.outcome !== "refused" || group === undefined) return;
  const closing = closedForSeconds !== undefined && {
    closing: { at, until: at + closedForSeconds * 1000, logins: Math.max(0, count - 1), counted },
  };
  addGroup(groups, group, { at, kind: limit, country: plain(event.country), refused: 1, ...closing });
}

/** A name that an operator or an app chose could make a document grow. */
const maxTextCharacters = 300;

function noteAction({ actions }: Figures, at: number, event: EventOf<"operator.acted">): void {
  const { action, outcome, target } = event;
  const text = event.text.slice(0, maxTextCharacters);
  // Who logs in by phone may be named by the number, and so may a user.
  const operator = maskDigits(event.operator).slice(0, maxTextCharacters);
  const shown = action === "end_sessions" && target !== undefined ? maskDigits(target) : target;
  addAction(actions, { at, action, operator, outcome, text, target: shown?.slice(0, maxTextCharacters) });
}

/** A value of an event becomes part of a name only without separators and without digits that may be a number. */
function plain(value: string): string {
  return (
    maskDigits(value.slice(0, 200))
      .replace(/[^\w.+-]+/g, "_")
      .slice(0, 64) || "other"
  );
}

function errorCode(error: unknown): string {
  const { name, code } = summarizeError(error);
  return code ?? name;
}

const maxFailedKeys = 1000;

function remember(keys: Set<string>, key: string): void {
  keys.add(key);
  const [oldest] = keys;
  if (keys.size > maxFailedKeys && oldest !== undefined) keys.delete(oldest);
}
