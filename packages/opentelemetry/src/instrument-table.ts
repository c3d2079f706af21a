/** An instrument: what it counts or times. */
interface Instrument {
  readonly kind: "counter" | "histogram";
  /** The unit in UCUM. */
  readonly unit: string;
  readonly description: string;
  /** True for the time that people and carriers take: seconds to minutes. */
  readonly isLong?: true;
}

const table = {
  "doorcode.login.starts": {
    kind: "counter",
    unit: "{login}",
    description: "Logins that were started, with a code sent",
  },
  "doorcode.login.completions": {
    kind: "counter",
    unit: "{login}",
    description: "Logins that were completed",
  },
  "doorcode.login.refusals": {
    kind: "counter",
    unit: "{request}",
    description: "Requests of a login that were refused",
  },
  "doorcode.login.decisions": {
    kind: "counter",
    unit: "{decision}",
    description: "Decisions of the limits about a code",
  },
  "doorcode.login.sends": {
    kind: "counter",
    unit: "{send}",
    description: "Codes that were given to the service; with error.type, those that it did not take",
  },
  "doorcode.login.checks": {
    kind: "counter",
    unit: "{check}",
    description: "Codes that their owner has checked; with error.type, those that it could not check",
  },
  "doorcode.login.deliveries": {
    kind: "counter",
    unit: "{code}",
    description: "Codes that the service reports as delivered, or as delivered on no channel",
  },
  "doorcode.webhook.refusals": {
    kind: "counter",
    unit: "{delivery}",
    description: "Deliveries that were not taken as events of the service",
  },
  "doorcode.webhook.events": {
    kind: "counter",
    unit: "{event}",
    description: "Events of the service by what became of them",
  },
  "doorcode.webhook.reconciliations": {
    kind: "counter",
    unit: "{run}",
    description: "Reconciliations with the service's messages; with error.type, those of the regular ones that failed",
  },
  "doorcode.webhook.reconciled": {
    kind: "counter",
    unit: "{change}",
    description: "Changes of messages that reconciliations found, by what became of them",
  },
  "doorcode.store.failures": {
    kind: "counter",
    unit: "{failure}",
    description: "Calls of the store that failed",
  },
  "doorcode.inbox.failures": {
    kind: "counter",
    unit: "{failure}",
    description: "Failures of the inbox",
  },
  "doorcode.login.start.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of a start, from the request to the code that was sent",
  },
  "doorcode.login.confirm.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of a confirmation, from the request to the session",
  },
  "doorcode.login.send.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of the call to the service that sends a code",
  },
  "doorcode.login.check.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of the check of a code by its owner",
  },
  "doorcode.login.callback.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of a function of the app",
  },
  "doorcode.login.delivery.duration": {
    kind: "histogram",
    unit: "s",
    description: "Time from the service's first report about a code to its delivery",
    isLong: true,
  },
  "doorcode.login.entry.duration": {
    kind: "histogram",
    unit: "s",
    description: "Time from a code to the login that it completes",
    isLong: true,
  },
  "doorcode.webhook.lag": {
    kind: "histogram",
    unit: "s",
    description: "Time from an event of the service to the end of its handler",
    isLong: true,
  },
  "doorcode.webhook.handler.duration": {
    kind: "histogram",
    unit: "s",
    description: "Duration of a handler of the app, with the time to store its outcome",
  },
} as const;

/** The name of an instrument. */
export type InstrumentName = keyof typeof table;

/** The instruments by name. `docs/metrics.md` lists them with their attributes. */
export const instruments: Readonly<Record<InstrumentName, Instrument>> = table;
