import type { SSEStreamingApi } from "hono/streaming";
import type { State } from "../state/state.ts";

const pauseMilliseconds = 100;

/** Sends an event to the page when something has changed: at once, and then at most once in 100 ms. */
export async function streamChanges(stream: SSEStreamingApi, state: State, closed: AbortSignal): Promise<void> {
  let change = Promise.withResolvers<void>();
  const wakeUp = () => change.resolve();
  const stop = state.watch(wakeUp);
  stream.onAbort(wakeUp);
  closed.addEventListener("abort", wakeUp, { once: true });

  try {
    while (!stream.aborted && !closed.aborted) {
      change = Promise.withResolvers();
      await stream.writeSSE({ data: "changed" });
      await stream.sleep(pauseMilliseconds);
      await change.promise;
    }
  } finally {
    stop();
    closed.removeEventListener("abort", wakeUp);
  }
}
