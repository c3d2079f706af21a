/** Options of {@link sendEventsTo}. */
export interface SendEventsOptions {
  /** The token of the sandbox. Default: the variable `DOORCODE_SANDBOX_TOKEN`. */
  readonly token?: string | undefined;
  /** The id of the application. Default: the default one. */
  readonly application?: string;
}

interface AppEvent {
  readonly type: string;
}

const pauseMilliseconds = 100;
const answerMilliseconds = 2000;
/** An app under load must not fill its memory with events for a page. */
const maxWaiting = 1000;

/**
 * Creates an `onEvent` that shows the decisions of an app about its codes on the page of a sandbox, in the view "Limits".
 *
 * Only decisions are sent, which hold no number and no address. The app never waits for the sandbox. If it cannot be reached, a
 * process warning says so, once.
 *
 * @param url - the URL of the sandbox.
 * @throws TypeError if the URL is no http or https URL.
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * import { sendEventsTo } from "@doorcode/sandbox/events";
 * const doorcode = createDoorcode({ onEvent: sendEventsTo("http://localhost:4010") });
 */
export function sendEventsTo(url: string, options: SendEventsOptions = {}): (event: AppEvent) => void {
  const { token = process.env.DOORCODE_SANDBOX_TOKEN, application = "default" } = options;
  const base = URL.parse(url);
  if (!base || !/^https?:$/.test(base.protocol)) {
    throw new TypeError("sendEventsTo: url: expected the URL of the sandbox, such as http://localhost:4010.");
  }
  const target = new URL(`/_sandbox/applications/${encodeURIComponent(application)}/events`, base);
  const authorization = token ? { authorization: `Bearer ${token}` } : {};
  let waiting: AppEvent[] = [];
  let hasFailed = false;

  async function send(): Promise<void> {
    const body = JSON.stringify({ events: waiting });
    waiting = [];
    try {
      const headers = { "content-type": "application/json", ...authorization };
      const signal = AbortSignal.timeout(answerMilliseconds);
      const { ok, status } = await fetch(target, { method: "POST", headers, body, signal });
      if (!ok) throw new Error(`it answered ${status}`);
    } catch (error) {
      if (!hasFailed) warnOf(target.origin, error);
      hasFailed = true;
    }
  }

  return (event) => {
    if (event.type !== "login.send_decided" || waiting.length >= maxWaiting) return;
    waiting.push(event);
    // The timer must not keep the app alive.
    if (waiting.length === 1) setTimeout(() => void send(), pauseMilliseconds).unref();
  };
}

function warnOf(origin: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.emitWarning(`The sandbox at ${origin} does not take events (${reason}): its view "Limits" stays empty.`, {
    type: "DoorcodeWarning",
    code: "sandbox_events",
  });
}
