import type { EventEmitter } from "node:events";
import type { ReadLogin } from "../login/state.ts";
import { type Clock, createWakeUp } from "../util/clock.ts";
import { closeConnection, jsonResponse } from "./answers.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";

/** Proxies end a request that is silent for longer than this, or somewhat more. */
const maxWaitSeconds = 25;

/** The pause of a client whose wait was refused. */
const askAgainSeconds = 5;

/** A change that another process has made is seen after so long. */
const pollSeconds = 1;

/** All waits together read the store at most this often, besides the reads after an announcement. */
const maxPollsPerSecond = 100;

/** Two tabs, each of them just reloaded. */
const maxWaitsOfLogin = 4;

/** A request that waits until the state has another version than `after`. */
export interface WaitRequest {
  readonly after: string;
  /** The time after which the state is answered as it is. */
  readonly seconds: number;
  readonly mount: object;
  readonly closed: AbortSignal;
}

/** The state at the end of a wait. */
export interface WaitEnd extends ReadLogin {
  /** Why the wait ended before its time, although nothing has changed. */
  readonly cutShort?: "too_many" | "closing";
}

/** The requests that wait for a change of their login, in one process. */
export interface StateWaits {
  /**
   * Reads a state again until it has another version, and at the latest when the time is over. An announcement of this process causes a
   * read immediately. Changes of other processes are found by a read once a second. Rejects as `read` does.
   */
  wait(read: () => Promise<ReadLogin>, request: WaitRequest): Promise<WaitEnd>;
  /** Ends the waits of a mount, or all of them, and lets no more begin there. */
  close(mount?: object): void;
}

/** Creates the waits of a kit. Each waiting request holds a connection, so at most `maxWaits` wait. */
export function createStateWaits(clock: Clock, changes: EventEmitter, maxWaits: number): StateWaits {
  const waits = new Set<{ readonly mount: object; readonly login: string; readonly close: () => void }>();
  const closedMounts = new WeakSet<object>();
  let isClosed = false;

  function mayWait(mount: object, login: string): boolean {
    if (isClosed || closedMounts.has(mount) || waits.size >= maxWaits) return false;
    return [...waits].filter((wait) => wait.login === login).length < maxWaitsOfLogin;
  }

  return {
    async wait(read, { after, seconds, mount, closed }) {
      let login = await read();
      const isSame = () => login.state.version === after && login.topics.length > 0;
      if (!isSame() || seconds <= 0 || closed.aborted) return login;
      const [topic = ""] = login.topics;
      if (!mayWait(mount, topic)) return { ...login, cutShort: "too_many" };

      const wakeUp = createWakeUp(clock);
      let isOver = false;
      let isClosing = false;
      const end = () => {
        isOver = true;
        wakeUp.trigger();
      };
      const close = () => {
        isClosing = true;
        end();
      };
      const wait = { mount, login: topic, close };
      waits.add(wait);
      const cancelEnd = clock.schedule(seconds * 1000, end);
      closed.addEventListener("abort", end);
      // The topics stay the same until something changes: then the wait is over.
      const { topics } = login;
      for (const topic of topics) changes.on(topic, wakeUp.trigger);
      try {
        while (isSame() && !isOver) {
          const pauseSeconds = Math.max(pollSeconds, waits.size / maxPollsPerSecond);
          await wakeUp.pause(Math.min(pauseSeconds, login.endsInSeconds));
          // The store may be closed next, and an announced change has been read before.
          if (!closed.aborted && !isClosing) login = await read();
        }
        return isClosing && isSame() ? { ...login, cutShort: "closing" } : login;
      } finally {
        for (const topic of topics) changes.off(topic, wakeUp.trigger);
        cancelEnd();
        closed.removeEventListener("abort", end);
        waits.delete(wait);
      }
    },
    close(mount) {
      if (mount) closedMounts.add(mount);
      else isClosed = true;
      for (const wait of waits) if (!mount || wait.mount === mount) wait.close();
    },
  };
}

/**
 * Answers GET `/state`. With `after` and `waitSeconds`, the answer waits until the state has another version. A stream would have to pass
 * every proxy unbuffered, and a login is open for two minutes and changes three times.
 */
export async function answerState(
  waits: StateWaits,
  read: () => Promise<ReadLogin>,
  request: HttpRequest,
  mount: object,
): Promise<HttpResponse> {
  const mayWait = request.method !== "HEAD" && !hasBody(request);
  const asked = mayWait ? readWait(request.query) : undefined;
  if (!asked) return jsonResponse((await read()).state);
  const { state, cutShort } = await waits.wait(read, { ...asked, mount, closed: request.closed });
  const answer = jsonResponse(state);
  const retry = cutShort && { "retry-after": String(askAgainSeconds) };
  // A connection that stays open would keep a server from closing.
  const close = cutShort === "closing" && closeConnection;
  return { ...answer, headers: { ...answer.headers, ...passAtOnce, ...retry, ...close } };
}

/** No proxy may hold back an answer that was waited for, to compress or to buffer it. */
const passAtOnce = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" } as const;

/** Detects a body. Node keeps one that nobody reads as long as the request waits, at 200 bytes for each chunk of one byte. */
function hasBody({ headers }: HttpRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
}

function readWait(query: string): Pick<WaitRequest, "after" | "seconds"> | undefined {
  const members = new URLSearchParams(query);
  const after = members.get("after");
  const waitSeconds = members.get("waitSeconds");
  if (after === null || waitSeconds === null || !/^\d{1,9}$/.test(waitSeconds)) return undefined;
  return { after, seconds: Math.min(Number(waitSeconds), maxWaitSeconds) };
}
