import type { Dispatcher } from "undici";
import type { Clock } from "../util/clock.ts";
import { type RequestFailure, readRequestFailure } from "./request-failure.ts";

/** An answer that is not parsed yet. */
export interface RawAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** The `Retry-After` header. */
  readonly retryAfter: string | undefined;
  /** The body; `undefined` if it exceeded the limit. */
  readonly bytes: Buffer | undefined;
}

/** The limits of a request attempt. */
export interface RequestLimits {
  /** The clock of the response time-out. */
  readonly clock: Clock;
  /** The time from the start of the request to the end of the answer. A slow trickle of bytes does not extend it. */
  readonly responseTimeoutSeconds: number;
  /** Gives the request up when it aborts. */
  readonly signal: AbortSignal | undefined;
  /** The largest answer body that is read. */
  readonly limitBytes: number;
}

/**
 * Sends a request once and reads the answer. Never rejects, because an error of undici may contain headers, and so the
 * API key.
 */
export function attemptRequest(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: RequestLimits,
): Promise<RawAnswer | RequestFailure> {
  const attempt = new RequestAttempt(limits);
  if (limits.signal?.aborted) attempt.onAbort();
  else attempt.dispatch(dispatcher, request);
  return attempt.outcome;
}

class RequestAttempt implements Dispatcher.DispatchHandler {
  readonly #outcome = Promise.withResolvers<RawAnswer | RequestFailure>();
  readonly #limits: RequestLimits;
  #controller: Dispatcher.DispatchController | undefined;
  #cancelTimeout: () => void = () => {};
  #ended = false;
  #head: Omit<RawAnswer, "bytes"> = { status: 0, retryAfter: undefined };
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(limits: RequestLimits) {
    this.#limits = limits;
  }

  get outcome(): Promise<RawAnswer | RequestFailure> {
    return this.#outcome.promise;
  }

  dispatch(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): void {
    this.#limits.signal?.addEventListener("abort", this.onAbort);
    try {
      // The time-out below replaces both time-outs of undici, which ignore the given clock.
      dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, this);
    } catch (error) {
      this.#end(readRequestFailure(error, this.#started));
    }
  }

  /** The dispatcher calls this right before it writes the first byte. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended) {
      // The attempt was given up while it waited for a connection, so nothing may be sent any more.
      controller.abort(new Error("The request was given up."));
      return;
    }
    const { clock, responseTimeoutSeconds } = this.#limits;
    this.#cancelTimeout();
    this.#cancelTimeout = clock.schedule(responseTimeoutSeconds * 1000, this.onTimeout);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#head = { status, retryAfter: [headers["retry-after"]].flat()[0] };
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#limits.limitBytes) this.#giveUp({ ...this.#head, bytes: undefined });
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end({ ...this.#head, bytes: Buffer.concat(this.#chunks) });
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: unknown): void {
    this.#end(readRequestFailure(error, this.#started));
  }

  readonly onAbort = (): void => {
    this.#giveUp({ failure: "ABORTED", mayHaveLeft: this.#started });
  };

  readonly onTimeout = (): void => {
    this.#giveUp({ failure: "TIMED_OUT", mayHaveLeft: true });
  };

  get #started(): boolean {
    return this.#controller !== undefined;
  }

  #giveUp(outcome: RawAnswer | RequestFailure): void {
    this.#end(outcome);
    this.#controller?.abort(new Error("The request was given up."));
  }

  #end(outcome: RawAnswer | RequestFailure): void {
    this.#ended = true;
    this.#cancelTimeout();
    this.#limits.signal?.removeEventListener("abort", this.onAbort);
    this.#outcome.resolve(outcome);
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;
