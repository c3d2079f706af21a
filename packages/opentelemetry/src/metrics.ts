import type { DoorcodeEvent } from "@doorcode/core";
import type { Attributes, Counter, Histogram, Meter } from "@opentelemetry/api";
import { errorTypeOf } from "./error-type.ts";
import { type InstrumentName, instruments } from "./instrument-table.ts";

/** A value for an instrument. */
interface Measurement {
  readonly name: InstrumentName;
  readonly value: number;
  readonly attributes: Attributes;
}

/** The boundaries that OpenTelemetry's conventions name for durations in seconds. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const longBoundaries = [1, 2.5, 5, 7.5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1800, 3600];

type LoginEvent = Extract<DoorcodeEvent, { readonly type: `login.${string}` }>;

/** Creates the function that records what an event says. */
export function createRecorder(meter: Meter): (event: DoorcodeEvent) => void {
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  for (const [name, { kind, unit, description, isLong }] of Object.entries(instruments)) {
    const advice = { explicitBucketBoundaries: isLong ? longBoundaries : boundaries };
    if (kind === "counter") counters.set(name, meter.createCounter(name, { unit, description }));
    else histograms.set(name, meter.createHistogram(name, { unit, description, advice }));
  }
  return (event) => {
    for (const { name, value, attributes } of measure(event)) {
      counters.get(name)?.add(value, attributes);
      histograms.get(name)?.record(value, attributes);
    }
  };
}

/** Returns what an event says to the instruments. Events that are not known here say nothing. */
function measure(event: DoorcodeEvent): readonly Measurement[] {
  if (event.type.startsWith("login.")) return measureLogin(event as LoginEvent);
  switch (event.type) {
    case "store.failed":
      return [count("doorcode.store.failures", { "error.type": errorTypeOf(event.error) })];
    case "inbox.failed":
      return [count("doorcode.inbox.failures", { "error.type": errorTypeOf(event.error) })];
    case "webhook.refused":
    case "webhook.unreadable":
      return [count("doorcode.webhook.refusals", { "doorcode.webhook.reason": event.reason })];
    case "webhook.body_already_read":
      return [count("doorcode.webhook.refusals", { "doorcode.webhook.reason": "body_already_read" })];
    case "webhook.handled":
    case "webhook.failed":
      return measureHandler(event);
    case "webhook.reconciled":
      return [count("doorcode.webhook.reconciliations", {}), ...results.map((result) => measureResult(event, result))];
    case "webhook.reconcile_failed":
      return [count("doorcode.webhook.reconciliations", { "error.type": errorTypeOf(event.error) })];
    case "webhook.persisted":
    case "webhook.dead_lettered":
    case "webhook.duplicate":
    case "webhook.stale":
    case "webhook.unfinished":
    case "webhook.superseded":
      return [count("doorcode.webhook.events", outcomeOf(event))];
    default:
      return [];
  }
}

function outcomeOf({ type, kind }: { readonly type: string; readonly kind: string }): Attributes {
  return { "doorcode.webhook.kind": kind, "doorcode.webhook.outcome": type.slice("webhook.".length) };
}

function measureHandler(
  event: Extract<DoorcodeEvent, { readonly type: "webhook.handled" | "webhook.failed" }>,
): readonly Measurement[] {
  const failure = event.type === "webhook.failed" ? { "error.type": errorTypeOf(event.error) } : {};
  const attributes = { "doorcode.webhook.kind": event.kind, ...failure };
  return [
    count("doorcode.webhook.events", { ...outcomeOf(event), ...failure }),
    time("doorcode.webhook.handler.duration", event, attributes),
    ...(event.type === "webhook.handled" ? wait("doorcode.webhook.lag", event.lagSeconds, attributes) : []),
  ];
}

const results = ["accepted", "known", "failed"] as const;

function measureResult(
  counts: Readonly<Record<(typeof results)[number], number>>,
  result: (typeof results)[number],
): Measurement {
  return {
    name: "doorcode.webhook.reconciled",
    value: counts[result],
    attributes: { "doorcode.webhook.result": result },
  };
}

function measureLogin(event: LoginEvent): readonly Measurement[] {
  switch (event.type) {
    case "login.started":
      return [
        count("doorcode.login.starts", { ...purposeOf(event), ...countryOf(event) }),
        time("doorcode.login.start.duration", event, purposeOf(event)),
      ];
    case "login.completed":
      return [
        count("doorcode.login.completions", { ...purposeOf(event), ...countryOf(event) }),
        time("doorcode.login.confirm.duration", event, purposeOf(event)),
        ...wait("doorcode.login.entry.duration", event.sinceCodeSeconds, { ...purposeOf(event), ...channelOf(event) }),
      ];
    case "login.refused":
      return measureRefusal(event);
    case "login.send_decided":
      return [count("doorcode.login.decisions", decisionOf(event))];
    case "login.code_sent":
      return measureSend(event, {});
    case "login.send_failed":
      return measureSend(event, { "error.type": errorTypeOf(event.error) });
    case "login.code_delivered":
    case "login.code_undelivered":
      return measureDelivery(event);
    case "login.code_checked":
      return measureCheck(event, { "doorcode.login.result": event.result });
    case "login.check_failed":
      return measureCheck(event, { "error.type": errorTypeOf(event.error) });
    case "login.callback_ended": {
      const attributes = { "doorcode.login.callback": event.callback, "doorcode.login.outcome": event.outcome };
      return [time("doorcode.login.callback.duration", event, attributes)];
    }
    default:
      return [];
  }
}

function measureRefusal(event: Extract<LoginEvent, { readonly type: "login.refused" }>): readonly Measurement[] {
  const { step, code } = event;
  const refusal = count("doorcode.login.refusals", { "doorcode.login.step": step, "error.type": code });
  if (step === "start") return [refusal, time("doorcode.login.start.duration", event, { "error.type": code })];
  if (step === "confirm") return [refusal, time("doorcode.login.confirm.duration", event, { "error.type": code })];
  return [refusal];
}

function decisionOf(event: Extract<LoginEvent, { readonly type: "login.send_decided" }>): Attributes {
  return {
    "doorcode.login.outcome": event.outcome,
    ...(event.limit !== undefined && { "doorcode.login.limit": event.limit }),
    ...countryOf(event),
    "doorcode.login.on_alert": event.onAlert,
    "doorcode.login.app_on_alert": event.appOnAlert,
    "doorcode.login.known": event.knownNumber || event.knownDevice,
  };
}

function measureDelivery(
  event: Extract<LoginEvent, { readonly type: "login.code_delivered" | "login.code_undelivered" }>,
): readonly Measurement[] {
  const outcome = { "doorcode.login.outcome": event.type === "login.code_delivered" ? "delivered" : "undelivered" };
  return [
    count("doorcode.login.deliveries", { ...outcome, ...channelOf(event), ...countryOf(event) }),
    ...wait("doorcode.login.delivery.duration", event.deliverySeconds, channelOf(event)),
  ];
}

function measureSend(
  event: Extract<LoginEvent, { readonly type: "login.code_sent" | "login.send_failed" }>,
  failure: Attributes,
): readonly Measurement[] {
  const channel = channelOf(event);
  return [
    count("doorcode.login.sends", { ...channel, ...countryOf(event), ...purposeOf(event), ...failure }),
    time("doorcode.login.send.duration", event, { ...channel, ...failure }),
  ];
}

function measureCheck(
  event: Extract<LoginEvent, { readonly type: "login.code_checked" | "login.check_failed" }>,
  result: Attributes,
): readonly Measurement[] {
  return [
    count("doorcode.login.checks", { ...result, ...countryOf(event) }),
    time("doorcode.login.check.duration", event, result),
  ];
}

function count(name: InstrumentName, attributes: Attributes): Measurement {
  return { name, value: 1, attributes };
}

function time(
  name: InstrumentName,
  { durationSeconds }: { readonly durationSeconds: number },
  attributes: Attributes,
): Measurement {
  return { name, value: durationSeconds, attributes };
}

/** A time that not every event knows. */
function wait(name: InstrumentName, seconds: number | undefined, attributes: Attributes): readonly Measurement[] {
  return seconds === undefined ? [] : [{ name, value: seconds, attributes }];
}

/** A report of the service may name no channel. */
function channelOf({ channel }: { readonly channel?: string }): Attributes {
  return channel ? { "doorcode.login.channel": channel } : {};
}

function purposeOf({ purpose }: { readonly purpose: string }): Attributes {
  return { "doorcode.login.purpose": purpose };
}

/** A number without a country, such as +800, has none. */
function countryOf({ country }: { readonly country?: string }): Attributes {
  return country ? { "doorcode.login.country": country } : {};
}
