import type { MessageStatusEvent, UnknownEvent, VerificationEvent, WebhookEvent } from "./event.ts";

/** What a handler gets besides the event. */
export interface HandlerContext {
  /** Aborts when the work took too long or another process took it over: what is done after that may be done twice. */
  readonly signal: AbortSignal;
}

/** Handles an event. The delivery is acknowledged when it returns, and comes again when it throws. */
export type WebhookHandler<Event> = (event: Event, context: HandlerContext) => unknown;

/** The handlers of an app by kind of event. Events of a kind without a handler are acknowledged. */
export interface WebhookHandlers {
  readonly "message.status.update"?: WebhookHandler<MessageStatusEvent> | undefined;
  readonly "verification.update"?: WebhookHandler<VerificationEvent> | undefined;
  /** Kinds that the specification does not have yet. */
  readonly unknown?: WebhookHandler<UnknownEvent> | undefined;
}

/** Calls the handler of the event's kind, if there is one. Rejects with what it throws. */
export async function callHandler(
  handlers: WebhookHandlers,
  event: WebhookEvent,
  context: HandlerContext,
): Promise<void> {
  switch (event.kind) {
    case "message.status.update":
      await handlers[event.kind]?.(event, context);
      break;
    case "verification.update":
      await handlers[event.kind]?.(event, context);
      break;
    case "unknown":
      await handlers[event.kind]?.(event, context);
      break;
  }
}
