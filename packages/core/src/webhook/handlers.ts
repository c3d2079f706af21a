import type { MessageStatusEvent, UnknownEvent, VerificationEvent, WebhookEvent } from "./event.ts";

/** What a handler gets besides the event. */
export interface HandlerContext {
  /** Aborts when the work took too long or another process took it over: what is done after that may be done twice. */
  readonly signal: AbortSignal;
}

/**
 * Handles an event. It is done when this returns, and comes again when it throws.
 *
 * @typeParam Scope - what `webhooks.transactions` adds to the context.
 */
export type WebhookHandler<Event, Scope = unknown> = (event: Event, context: HandlerContext & Scope) => unknown;

/** The handlers of an app by kind of event. Events of a kind without a handler are acknowledged. */
export interface WebhookHandlers<Scope = unknown> {
  readonly "message.status.update"?: WebhookHandler<MessageStatusEvent, Scope> | undefined;
  readonly "verification.update"?: WebhookHandler<VerificationEvent, Scope> | undefined;
  /** Kinds that the specification does not have yet. */
  readonly unknown?: WebhookHandler<UnknownEvent, Scope> | undefined;
}

/** Calls the handler of the event's kind, if there is one. Rejects with what it throws. */
export async function callHandler<Scope>(
  handlers: WebhookHandlers<Scope>,
  event: WebhookEvent,
  context: HandlerContext & Scope,
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
