/** An instrument: what it counts or times, and the attributes that it may have. */
interface Instrument {
  readonly kind: "counter" | "histogram";
  /** The unit in UCUM. */
  readonly unit: string;
  readonly description: string;
  readonly attributes: readonly string[];
  /** True for the time that people and carriers take: seconds to minutes. */
  readonly isLong?: true;
}

/** The name of an instrument. */
export type InstrumentName =
  | "doorcode.login.starts"
  | "doorcode.login.completions"
  | "doorcode.login.refusals"
  | "doorcode.login.decisions"
  | "doorcode.login.sends"
  | "doorcode.login.checks"
  | "doorcode.login.deliveries"
  | "doorcode.webhook.refusals"
  | "doorcode.webhook.events"
  | "doorcode.webhook.reconciliations"
  | "doorcode.webhook.reconciled"
  | "doorcode.store.failures"
  | "doorcode.inbox.failures"
  | "doorcode.login.start.duration"
  | "doorcode.login.confirm.duration"
  | "doorcode.login.send.duration"
  | "doorcode.login.check.duration"
  | "doorcode.login.callback.duration"
  | "doorcode.login.delivery.duration"
  | "doorcode.login.entry.duration"
  | "doorcode.webhook.handler.duration"
  | "doorcode.webhook.lag";

/** The instruments by name. `docs/metrics.md` lists them. */
export const instruments: Readonly<Record<InstrumentName, Instrument>> = {
  "doorcode.login.starts": {
    kind: "counter",
    unit: "{login}",
    description: "Logins that were started, with a code sent",
    attributes: ["doorcode.login.purpose", "doorcode.login.country"],
  },
  "doorcode.login.completions": {
    kind: "counter",
    unit: "{login}",
    description: "Logins that were completed",
    attributes: ["doorcode.login.purpose", "doorcode.login.country"],
  },
  "doorcode.login.refusals": {
    kind: "counter",
    unit: "{request}",
    description: "Requests of a login that were refused",
    attributes: ["doorcode.login.step", "error.type"],
  },
  "doorcode.login.decisions": {
    kind: "counter",
    unit: "{decision}",
    description: "Decisions of the limits about a code",
    attributes: [
      "doorcode.login.outcome",
      "doorcode.login.limit",
      "doorcode.login.country",
      "doorcode.login.on_alert",
      "doorcode.login.app_on_alert",
      "doorcode.login.known",
    ],
  },
  "doorcode.login.sends": {
    kind: "counter",
    unit: "{send}",
    description: "Codes that were given to the service; with error.type, those that it did not take",
    attributes: ["doorcode.login.channel", "doorcode.login.country", "doorcode.login.purpose", "error.type"],
  },
  "doorcode.login.checks": {
    kind: "counter",
    unit: "{check}",
    description: "Codes that their owner has checked; with error.type, those that it could not check",
    attributes: ["doorcode.login.result", "doorcode.login.country", "error.type"],
  },
  "doorcode.login.deliveries": {
    kind: "counter",
    unit: "{code}",
    description: "Codes that the service reports as delivered, or as delivered on no channel",
    attributes: ["doorcode.login.outcome", "doorcode.login.channel", "doorcode.login.country"],
  },
  "doorcode.webhook.refusals": {
    kind: "counter",
    unit: "{delivery}",
    description: "Deliveries that were not taken as events of the service",
    attributes: ["doorcode.webhook.reason"],
  },
  "doorcode.webhook.events": {
    kind: "counter",
    unit: "{event}",
    description: "Events of the service by what became of them",
    attributes: ["doorcode.webhook.kind", "doorcode.webhook.outcome", "error.type"],
  },
  "doorcode.webhook.reconciliations": {
    kind: "counter",
    unit: "{run}",
    description: "Reconciliations with the service's messages; with error.type, those of the regular ones that failed",
    attributes: ["error.type"],
  },
  "doorcode.webhook.reconciled": {
    kind: "counter",
    unit: "{change}",
    description: "Changes of messages that reconciliations found, by what became of them",
    attributes: ["doorcode.webhook.result"],
  },
  "doorcode.store.failures": {
    kind: "counter",
    unit: "{failure}",
    description: "Calls of the store that failed",
    attributes: ["error.type"],
  },
  "doorcode.inbox.failures": {
    kind: "counter",
    unit: "{failure}",
    description: "Failures of the inbox",
    attributes: ["error.type"],
  },
  "doorcode.login.start.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of a start, from the request to the code that was sent",
    attributes: ["doorcode.login.purpose", "error.type"],
  },
  "doorcode.login.confirm.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of a confirmation, from the request to the session",
    attributes: ["doorcode.login.purpose", "error.type"],
  },
  "doorcode.login.send.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of the call to the service that sends a code",
    attributes: ["doorcode.login.channel", "error.type"],
  },
  "doorcode.login.check.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of the check of a code by its owner",
    attributes: ["doorcode.login.result", "error.type"],
  },
  "doorcode.login.callback.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of a function of the app",
    attributes: ["doorcode.login.callback", "doorcode.login.outcome"],
  },
  "doorcode.login.delivery.duration": {
    kind: "histogram",
    unit: "s",
    description: "Time from the service's first report about a code to its delivery",
    attributes: ["doorcode.login.channel"],
    isLong: true,
  },
  "doorcode.login.entry.duration": {
    kind: "histogram",
    unit: "s",
    description: "Time from a code to the login that it completes",
    attributes: ["doorcode.login.purpose", "doorcode.login.channel"],
    isLong: true,
  },
  "doorcode.webhook.lag": {
    kind: "histogram",
    unit: "s",
    description: "Time from an event of the service to the end of its handler",
    attributes: ["doorcode.webhook.kind"],
    isLong: true,
  },
  "doorcode.webhook.handler.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of a handler of the app, with the time to store its outcome",
    attributes: ["doorcode.webhook.kind", "error.type"],
  },
};
