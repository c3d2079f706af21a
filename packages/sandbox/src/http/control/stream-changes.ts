import type { SSEStreamingApi } from "hono/streaming";
import type { State } from "../../state/state.ts";

const pauseMilliseconds = 100;

/** Tells the page that something changed: at once, and then at most every 100 ms, however much happens. */
export async function streamChanges(stream: SSEStreamingApi, state: State, closed: AbortSignal): Promise<void> {
  let change = Promise.withResolvers<void>();
  const wake = () => change.resolve();
  const stop = state.watch(wake);
  stream.onAbort(wake);
  closed.addEventListener("abort", wake, { once: true });

  try {
    while (!stream.aborted && !closed.aborted) {
      change = Promise.withResolvers();
      await stream.writeSSE({ data: "changed" });
      await stream.sleep(pauseMilliseconds);
      await change.promise;
    }
  } finally {
    stop();
    closed.removeEventListener("abort", wake);
  }
}
