import type { MessageStatusEvent, UnknownEvent, VerificationEvent, WebhookEvent } from "./event.ts";

/** The second argument of a webhook handler. */
export interface HandlerContext {
  /** Aborts when the handler took too long, or another process took the event over. Work after that may be done twice. */
  readonly signal: AbortSignal;
}

/**
 * A handler of one kind of event. The event is handled when it returns, and is delivered again when it throws.
 *
 * @typeParam Scope - the members that `webhooks.transactions` adds to the context.
 */
export type WebhookHandler<Event, Scope = unknown> = (event: Event, context: HandlerContext & Scope) => unknown;

/** The handlers of an app by kind of event. Events of a kind without a handler are acknowledged. */
export interface WebhookHandlers<Scope = unknown> {
  /** Handles a change of a message's delivery status. */
  readonly "message.status.update"?: WebhookHandler<MessageStatusEvent, Scope> | undefined;
  /** Handles a change of a verification's status, or of the delivery status of one of its messages. */
  readonly "verification.update"?: WebhookHandler<VerificationEvent, Scope> | undefined;
  /** Handles kinds that the specification does not have yet. */
  readonly unknown?: WebhookHandler<UnknownEvent, Scope> | undefined;
}

/** Calls the handler of the event's kind, if there is one, and returns what it returns. */
export function callHandler<Scope>(
  handlers: WebhookHandlers<Scope>,
  event: WebhookEvent,
  context: HandlerContext & Scope,
): unknown {
  // TypeScript connects a kind with its handler only inside each case.
  switch (event.kind) {
    case "message.status.update":
      return handlers[event.kind]?.(event, context);
    case "verification.update":
      return handlers[event.kind]?.(event, context);
    case "unknown":
      return handlers[event.kind]?.(event, context);
  }
}
