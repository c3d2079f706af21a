import type { Dispatcher } from "undici";
import type { Clock } from "../primitives/clock.ts";
import { type AttemptFailure, readFailure } from "./attempt-failure.ts";

/** An answer as it came; without bytes when there were too many of them. */
export interface RawAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly bytes: Buffer | undefined;
}

/** Within which an attempt has to stay. */
export interface AttemptLimits {
  readonly clock: Clock;
  /** From the start of the request to the end of the answer, whatever trickles in between. */
  readonly responseTimeoutSeconds: number;
  readonly signal: AbortSignal | undefined;
  /** What exceeds it is not read. */
  readonly limitBytes: number;
}

/** Sends a request once and reads the answer. Never rejects: the errors of undici may show headers, and so the API key. */
export function attempt(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: AttemptLimits,
): Promise<RawAnswer | AttemptFailure> {
  const handler = new AttemptHandler(limits);
  if (limits.signal?.aborted) handler.onAbort();
  else handler.dispatch(dispatcher, request);
  return handler.outcome;
}

class AttemptHandler implements Dispatcher.DispatchHandler {
  readonly #settling = Promise.withResolvers<RawAnswer | AttemptFailure>();
  readonly #limits: AttemptLimits;
  #controller: Dispatcher.DispatchController | undefined;
  #cancelTimeout: () => void = () => {};
  #ended = false;
  #head: Omit<RawAnswer, "bytes"> = { status: 0, retryAfter: undefined };
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(limits: AttemptLimits) {
    this.#limits = limits;
  }

  get outcome(): Promise<RawAnswer | AttemptFailure> {
    return this.#settling.promise;
  }

  dispatch(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): void {
    this.#limits.signal?.addEventListener("abort", this.onAbort);
    try {
      // The time-out below covers undici's two, which run on a clock of their own.
      dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, this);
    } catch (error) {
      this.#end(readFailure(error, this.#started));
    }
  }

  /** Called by the dispatcher right before it writes the first byte. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended) {
      // Given up while it waited for a connection: nothing may leave any more.
      controller.abort(new Error("Given up."));
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
    this.#end(readFailure(error, this.#started));
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

  #giveUp(outcome: RawAnswer | AttemptFailure): void {
    this.#end(outcome);
    this.#controller?.abort(new Error("Given up."));
  }

  #end(outcome: RawAnswer | AttemptFailure): void {
    this.#ended = true;
    this.#cancelTimeout();
    this.#limits.signal?.removeEventListener("abort", this.onAbort);
    this.#settling.resolve(outcome);
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;
