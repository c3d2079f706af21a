import diagnostics_channel from "node:diagnostics_channel";
import { afterAnswer } from "./after-answer.ts";
import { isDoorcodeError } from "./errors.ts";
import { printError, summarizeError } from "./redact.ts";

/** Publishes an event, or listens to it. Never throws and never waits. */
export type Publish<Event> = (event: Event) => void;

interface PublishedEvent {
  readonly type: string;
  readonly error?: unknown;
}

/** Every event of every kit in the process is published on it. */
const channel = diagnostics_channel.channel("doorcode");

/**
 * Creates a publisher to the diagnostics channel `doorcode`, to listeners, and to the app's `onEvent`, whose failure becomes a process
 * warning. Without `onEvent`, each type of event that carries an error gives one warning. `showsStacks` adds message and stack of the
 * error: on a developer's machine only.
 */
export function createPublish<Event extends PublishedEvent>(
  onEvent: ((event: Event) => unknown) | undefined,
  listeners: ReadonlySet<Publish<Event>>,
  { showsStacks }: { readonly showsStacks: boolean },
): Publish<Event> {
  const warnOf = (message: string, error: unknown) =>
    process.emitWarning(message, {
      type: "DoorcodeWarning",
      ...(showsStacks && { detail: printError(error) }),
    });
  const listener = onEvent ?? createFailureWarning(warnOf);
  return (event) => {
    if (channel.hasSubscribers) channel.publish(event);
    try {
      for (const listen of listeners) listen(event);
      const listening = listener(event);
      if (listening === undefined) return;
      // Anything that is awaited like a promise counts as one: query builders are.
      const settled = Promise.resolve(listening);
      afterAnswer(settled.catch((error: unknown) => warnOf(listenerFailed(event, error), error)));
    } catch (error) {
      warnOf(listenerFailed(event, error), error);
    }
  };
}

/** Anything may be thrown, also a value without a text; and the event that the error is about has a phone number. */
function listenerFailed({ type }: PublishedEvent, error: unknown): string {
  const { name, message } = summarizeError(error);
  return `onEvent failed on ${type}: ${[name, message].filter(Boolean).join(": ")}`;
}

function createFailureWarning(warnOf: (message: string, error: unknown) => void): (event: PublishedEvent) => void {
  const warned = new Set<string>();
  return (event) => {
    if (!("error" in event) || warned.has(event.type)) return;
    warned.add(event.type);
    warnOf(`${event.type}: ${reasonOf(event.error)} Pass onEvent to createDoorcode to see every error.`, event.error);
  };
}

/** The kit's own errors hold nothing secret. The message of any other error may, so only its name and code are shown. */
function reasonOf(error: unknown): string {
  if (isDoorcodeError(error)) return error.message;
  const { name, code } = summarizeError(error);
  return code === undefined ? `${name}.` : `${name} ${code}.`;
}
