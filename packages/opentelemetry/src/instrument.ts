import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { DoorcodeEvent } from "@doorcode/core";
import { type MeterProvider, metrics, type TracerProvider, trace } from "@opentelemetry/api";
import { createRecorder } from "./metrics.ts";
import { recordSpan } from "./spans.ts";

/** Options of {@link instrumentDoorcode}. */
export interface InstrumentOptions {
  /** The source of the meter. Default: the global one, as it is when the first event comes. */
  readonly meterProvider?: MeterProvider;
  /** The source of the tracer. Default: the global one. */
  readonly tracerProvider?: TracerProvider;
}

const scope = "@doorcode/opentelemetry";

/** The diagnostics channel that every event of every kit in the process is published on. */
const eventChannel = "doorcode";

const failureWarning =
  "OpenTelemetry failed on an event of Doorcode. Check its SDK: some metrics and spans are missing.";

/**
 * Turns the events of every kit in this process into metrics and spans of OpenTelemetry. Call it once.
 *
 * It reads the diagnostics channel of the kit, so `onEvent` stays as it is. No attribute holds a number, a code, a user's id or an
 * address. A failure of OpenTelemetry becomes a process warning and changes no login.
 *
 * @returns a function that stops it.
 * @example
 * import { instrumentDoorcode } from "@doorcode/opentelemetry";
 * const stop = instrumentDoorcode();
 */
export function instrumentDoorcode(options: InstrumentOptions = {}): () => void {
  const { meterProvider, tracerProvider = trace } = options;
  const tracer = tracerProvider.getTracer(scope);
  let record: ReturnType<typeof createRecorder> | undefined;
  let warned = false;
  const warnOfFailure = () => {
    if (!warned) process.emitWarning(failureWarning, { type: "DoorcodeWarning", code: "opentelemetry_failed" });
    warned = true;
  };
  const listen = (message: unknown) => {
    // What a subscriber throws would end the process.
    try {
      const event = message as DoorcodeEvent;
      // The global provider is often set after the modules of the app are loaded, and the API has no meter that waits for it.
      record ??= createRecorder((meterProvider ?? metrics).getMeter(scope));
      record(event);
      recordSpan(tracer, event);
    } catch {
      warnOfFailure();
    }
  };
  subscribe(eventChannel, listen);
  return () => void unsubscribe(eventChannel, listen);
}
