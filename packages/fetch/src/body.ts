import { type Body, collectBytes, createHangUpError, DoorcodeError } from "@doorcode/core/adapter";

/**
 * Reads the exact bytes of a body, once.
 *
 * @throws DoorcodeError `body_too_large` as soon as more than `limitBytes` have come; `server_busy` if other bodies need the memory;
 * `body_malformed` if the client hung up; `body_already_read` if the app has read the body before; the reason of the signal when it aborts
 */
export async function readFetchBody(request: Request, limitBytes: number, signal: AbortSignal): Promise<Body> {
  if (request.bodyUsed || request.body?.locked) throw new DoorcodeError("body_already_read");
  if (!request.body) return { bytes: new Uint8Array() };
  const reader = request.body.getReader();
  const collected = collectBytes(limitBytes, giveUp);
  let refusal: Error | undefined;
  const endTime = () => giveUp(signal.reason);
  signal.addEventListener("abort", endTime);
  if (signal.aborted) endTime();

  function giveUp(error: Error): void {
    collected.release();
    refusal = error;
    reader.cancel(error).catch(() => undefined);
  }

  /** A function of its own: while a loop waits for the next chunk, it would keep the last one in memory. */
  async function readChunk(): Promise<boolean> {
    const { done, value } = await reader.read();
    if (value && !refusal) collected.add(value);
    return !done;
  }

  try {
    while (await readChunk());
    // A cancelled body looks like one that has ended.
    if (!refusal) return { bytes: collected.bytes() };
  } catch {
    refusal ??= createHangUpError();
  } finally {
    collected.release();
    signal.removeEventListener("abort", endTime);
  }
  throw refusal;
}
