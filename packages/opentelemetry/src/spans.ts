import { DoorcodeError, type DoorcodeEvent } from "@doorcode/core";
import { type Attributes, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import { errorTypeOf } from "./error-type.ts";

/** The names of the spans. `docs/metrics.md` lists them. */
type SpanName = "doorcode.login.start" | "doorcode.login.confirm" | "doorcode.webhook.handle";

/** A span that has ended. */
interface EndedSpan {
  readonly name: SpanName;
  readonly durationSeconds: number;
  readonly attributes: Attributes;
  /** True for a failure of the app, the store or the service; a person's wrong code is none. */
  readonly isFailure?: boolean;
}

/**
 * Records the span that an event ends. Its parent is the span of the request, which is active while the event is published. The span begins
 * when it has ended, with its beginning in the past: calls of the app and of clients within it are therefore its siblings.
 */
export function recordSpan(tracer: Tracer, event: DoorcodeEvent): void {
  const ended = spanOf(event);
  if (!ended) return;
  const { name, durationSeconds, attributes, isFailure } = ended;
  const endTime = Date.now();
  const startTime = endTime - durationSeconds * 1000;
  const span = tracer.startSpan(name, { startTime, attributes });
  if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endTime);
}

function spanOf(event: DoorcodeEvent): EndedSpan | undefined {
  switch (event.type) {
    case "login.started":
    case "login.completed": {
      const { type, loginId, purpose, country, durationSeconds } = event;
      const name = type === "login.started" ? "doorcode.login.start" : "doorcode.login.confirm";
      const login = { "doorcode.login.id": loginId, "doorcode.login.purpose": purpose };
      return { name, durationSeconds, attributes: { ...login, ...(country && { "doorcode.login.country": country }) } };
    }
    case "login.refused": {
      const { step, code, durationSeconds } = event;
      if (step !== "start" && step !== "confirm") return undefined;
      const isFailure = new DoorcodeError(code).status >= 500;
      return { name: `doorcode.login.${step}`, durationSeconds, attributes: { "error.type": code }, isFailure };
    }
    case "webhook.handled":
    case "webhook.failed": {
      const { kind, durationSeconds } = event;
      const isFailure = event.type === "webhook.failed";
      const error = isFailure ? { "error.type": errorTypeOf(event.error) } : {};
      const attributes = { "doorcode.webhook.kind": kind, ...error };
      return { name: "doorcode.webhook.handle", durationSeconds, attributes, isFailure };
    }
    default:
      return undefined;
  }
}
