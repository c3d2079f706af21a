import type { Dispatcher } from "undici";
import type { Clock } from "../clock.ts";

/** What one attempt came to: the answer as it came, or how it failed. */
export type Attempted =
  | { readonly status: number; readonly retryAfter: string | undefined; readonly bytes: Buffer | undefined }
  | AttemptFailure;

/** An attempt without an answer. */
export interface AttemptFailure {
  /** Of Node or undici; `ABORTED` or `TIMED_OUT` when this side gave up. Never an error, which may show the headers. */
  readonly failure: string;
  /** False when not a byte of the request can have left. */
  readonly mayHaveLeft: boolean;
}

/** Within which an attempt has to stay. */
export interface AttemptLimits {
  readonly clock: Clock;
  /** From the start of the request to the end of the answer, whatever trickles in between. */
  readonly responseTimeoutSeconds: number;
  readonly signal: AbortSignal | undefined;
}

/** Far more than any answer of the service; the rest is not read, and the answer then has no bytes. */
const limitBytes = 1_048_576;

/** Sends a request once and reads the answer. Never rejects. */
export function attempt(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { clock, responseTimeoutSeconds, signal }: AttemptLimits,
): Promise<Attempted> {
  if (signal?.aborted) return Promise.resolve({ failure: "ABORTED", mayHaveLeft: false });

  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let cancelTimeout = () => {};
    let ended = false;
    let head = { status: 0, retryAfter: undefined as string | undefined };
    const chunks: Buffer[] = [];
    let size = 0;

    function end(attempted: Attempted): void {
      ended = true;
      cancelTimeout();
      signal?.removeEventListener("abort", onAbort);
      resolve(attempted);
    }
    function giveUp(attempted: Attempted): void {
      end(attempted);
      controller?.abort(new Error("Given up."));
    }
    function onAbort(): void {
      giveUp({ failure: "ABORTED", mayHaveLeft: controller !== undefined });
    }
    function onTimeout(): void {
      giveUp({ failure: "TIMED_OUT", mayHaveLeft: true });
    }

    const handler: Dispatcher.DispatchHandler = {
      // Called right before the first byte is written.
      onRequestStart(started) {
        // Given up while it waited for a connection: nothing shall leave any more.
        if (ended) return started.abort(new Error("Given up."));
        controller = started;
        cancelTimeout();
        cancelTimeout = clock.schedule(responseTimeoutSeconds * 1000, onTimeout);
      },
      onResponseStart(_controller, status, headers) {
        head = { status, retryAfter: [headers["retry-after"]].flat()[0] };
      },
      onResponseData(_controller, chunk) {
        size += chunk.length;
        if (size > limitBytes) giveUp({ ...head, bytes: undefined });
        else chunks.push(chunk);
      },
      onResponseEnd() {
        end({ ...head, bytes: Buffer.concat(chunks) });
      },
      onResponseError(_controller, error) {
        end(readFailure(error, controller !== undefined));
      },
    };
    signal?.addEventListener("abort", onAbort);
    // One clock for everything: undici's own time-outs would run beside it.
    const options = { ...request, headersTimeout: 0, bodyTimeout: 0 };
    try {
      dispatcher.dispatch(options, handler);
    } catch (error) {
      end(readFailure(error, controller !== undefined));
    }
  });
}
