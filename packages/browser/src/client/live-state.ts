import type { LoginProblem } from "./problem.ts";
import type { TimedLoginState } from "./timed-state.ts";

/** A state that was read, and how long to wait before the next request if nothing has changed. */
export interface StateRead {
  readonly state: TimedLoginState;
  readonly retryAfterSeconds: number | undefined;
}

/** What the live state needs of its client. */
export interface LiveStateDeps {
  /** Returns the state that is known now. */
  known(): TimedLoginState | undefined;
  /** Reads the state: after `after` has changed, or at the latest after `waitSeconds`; immediately without them. */
  read(wait: Wait | undefined, signal: AbortSignal): Promise<StateRead | { readonly problem: LoginProblem }>;
  /** Takes a state that was read. */
  take(state: TimedLoginState): void;
}

/** A wait for a change of the state. */
export interface Wait {
  readonly after: string;
  readonly waitSeconds: number;
}

/** The state of a login, kept up to date. */
export interface LiveState {
  /** Starts to listen, or starts anew. With `fresh` the state is read immediately. */
  listen(fresh: boolean): void;
  /** Stops to listen: nothing is asked any more. */
  stop(): void;
}

const waitSeconds = 20;
/** The pause between two requests when the server does not wait: it holds as many as it wants to, or is an older one. */
const pauseSeconds = 5;
const maxBackoffSeconds = 30;
/** A login changes less often in a row. A state that is another one at each reading must not be asked without end. */
const maxChangesInARow = 10;
/** Timers of browsers end immediately if they are set for longer than 24 days. */
const maxSleepSeconds = 3600;

/** Keeps the state of a login up to date by a long poll, one request at a time, while a code is on its way. */
export function createLiveState(deps: LiveStateDeps): LiveState {
  let controller: AbortController | undefined;
  const stop = () => controller?.abort();

  return {
    stop,
    listen(fresh) {
      stop();
      controller = new AbortController();
      void run(deps, fresh, controller.signal);
    },
  };
}

async function run(deps: LiveStateDeps, fresh: boolean, signal: AbortSignal): Promise<void> {
  let asksNow = fresh;
  let failures = 0;
  let changesInARow = 0;
  while (!signal.aborted) {
    const wait = asksNow ? undefined : waitFor(deps.known());
    if (!asksNow && !wait) return;
    const startedAt = Date.now();
    const read = await deps.read(wait, signal);
    if (signal.aborted) return;
    if ("problem" in read) {
      failures += 1;
      await sleep(backoffSeconds(failures, read.problem.retryAt), signal);
      continue;
    }
    failures = 0;
    // The request had the cookies of when it began. Another tab may have logged in since.
    asksNow = wait !== undefined && read.state.status === "none";
    if (asksNow) continue;
    deps.take(read.state);
    const tooSoon = wait && Date.now() - startedAt < (wait.waitSeconds - 1) * 1000;
    changesInARow = tooSoon ? changesInARow + 1 : 0;
    if (tooSoon && (read.state.version === wait.after || changesInARow > maxChangesInARow))
      await sleep(read.retryAfterSeconds ?? pauseSeconds, signal);
  }
}

/** Returns the next wait; `undefined` when nothing is on its way. It ends when the code does, so that the page learns of it. */
function waitFor(state: TimedLoginState | undefined): Wait | undefined {
  if (state?.status !== "code_sent") return undefined;
  const secondsLeft = Math.ceil((state.expiresAt - Date.now()) / 1000) + 1;
  return { after: state.version, waitSeconds: Math.min(waitSeconds, Math.max(1, secondsLeft)) };
}

/** Returns a pause that doubles with each failure, and differs between clients. */
function backoffSeconds(failures: number, retryAt = 0): number {
  const maxSeconds = Math.min(maxBackoffSeconds, 2 ** (failures - 1));
  return Math.max((maxSeconds * (1 + Math.random())) / 2, (retryAt - Date.now()) / 1000);
}

function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(seconds, maxSleepSeconds) * 1000);
    signal.addEventListener("abort", end);
  });
}
