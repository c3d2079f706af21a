import type { ChangeListeners } from "../util/change-listeners.ts";
import type { Clock } from "../util/clock.ts";
import { createWakeUp } from "../util/wake-up.ts";
import type { ReadLogin } from "./login-state.ts";
import type { StateWaits } from "./state-waits.ts";

/** A request for a state that is not the one which its page has already. */
export interface WaitRequest {
  /** The version that the page has. */
  readonly after: string;
  /** The time after which the state is answered as it is. */
  readonly seconds: number;
  /** The mount that serves the request. */
  readonly mount: object;
  /** Aborts when the client hangs up. */
  readonly closed: AbortSignal;
}

/** The dependencies of a wait. */
export interface WaitDeps {
  readonly clock: Clock;
  readonly changes: ChangeListeners;
  readonly waits: StateWaits;
  /** Reads the state. */
  readonly read: () => Promise<ReadLogin>;
}

/** The state at the end of a wait. */
export interface WaitEnd extends ReadLogin {
  /** Why the wait ended before its time, although nothing has changed. */
  readonly cutShort?: "too_many" | "closing";
}

/** Changes that another process has made are seen so late. */
const pollSeconds = 1;

/** All waits together read the store at most this often, besides the reads after an announcement. */
const maxPollsPerSecond = 100;

/**
 * Reads a state again until it has another version, and at the latest when the time is over.
 *
 * An announcement of this process causes a read immediately. Changes of other processes are found by a read once a second.
 *
 * Rejects as `read` does.
 */
export async function waitForChange(
  { clock, changes, waits, read }: WaitDeps,
  { after, seconds, mount, closed }: WaitRequest,
): Promise<WaitEnd> {
  let login = await read();
  const isSame = () => login.state.version === after && login.topics.length > 0;
  if (!isSame() || seconds <= 0 || closed.aborted) return login;

  const wakeUp = createWakeUp(clock);
  let isOver = false;
  let isClosing = false;
  const end = () => {
    isOver = true;
    wakeUp.trigger();
  };
  const leave = waits.enter(mount, login.topics[0] ?? "", () => {
    isClosing = true;
    end();
  });
  if (!leave) return { ...login, cutShort: "too_many" };
  const cancelEnd = clock.schedule(seconds * 1000, end);
  closed.addEventListener("abort", end);
  // The topics stay the same until something changes: then the wait is over.
  const stop = changes.listen(login.topics, wakeUp.trigger);
  try {
    while (isSame() && !isOver) {
      const seconds = Math.max(pollSeconds, waits.count / maxPollsPerSecond);
      await wakeUp.pause(Math.min(seconds, login.endsInSeconds));
      // The store may be closed next, and an announced change has been read before.
      if (!closed.aborted && !isClosing) login = await read();
    }
    return isClosing && isSame() ? { ...login, cutShort: "closing" } : login;
  } finally {
    stop();
    cancelEnd();
    closed.removeEventListener("abort", end);
    leave();
  }
}
