import { vi } from "vitest";

/** A request that a client has sent, and that waits for its answer. */
export interface ScriptedRequest {
  readonly path: string;
  readonly members: unknown;
  readonly signal: AbortSignal;
  answer(
    body: unknown,
    options?: { readonly status?: number; readonly headers?: Record<string, string> },
  ): Promise<void>;
  /** Answers with a text that is not JSON. */
  answerText(text: string, status?: number): Promise<void>;
  fail(): Promise<void>;
}

/** A server that answers when the test says so. */
export interface ScriptedFetch {
  readonly fetch: typeof fetch;
  /** All requests, the oldest first. */
  readonly requests: readonly ScriptedRequest[];
  /** Those that were neither answered nor aborted. */
  open(): readonly ScriptedRequest[];
  /** Returns the only open request. */
  only(): ScriptedRequest;
}

/** Lets everything run that waits for nothing but other promises. */
export async function settled(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

/** Creates a server whose answers a test gives. */
export function createScriptedFetch(): ScriptedFetch {
  const requests: (ScriptedRequest & { isOpen: boolean })[] = [];
  const open = () => requests.filter(({ isOpen }) => isOpen);
  return {
    requests,
    open,
    only() {
      const [request, ...others] = open();
      if (!request || others.length > 0) throw new Error(`There are ${open().length} open requests.`);
      return request;
    },
    fetch: (input, init) =>
      new Promise((resolve, reject) => {
        const signal = init?.signal ?? new AbortController().signal;
        const end = async (act: () => void) => {
          request.isOpen = false;
          act();
          await settled();
        };
        const respond = (text: string, status: number, headers: Record<string, string> = {}) =>
          end(() => resolve(new Response(text, { status, headers })));
        const request = {
          path: String(input),
          members: typeof init?.body === "string" ? JSON.parse(init.body) : undefined,
          signal,
          isOpen: true,
          answer: (body: unknown, { status = 200, headers = {} } = {}) =>
            respond(JSON.stringify(body), status, headers),
          answerText: (text: string, status = 200) => respond(text, status),
          fail: () => end(() => reject(new TypeError("Failed to fetch"))),
        };
        signal.addEventListener("abort", () => {
          request.isOpen = false;
          reject(signal.reason);
        });
        requests.push(request);
      }),
  };
}

/** The state of a login whose code was sent. */
export function codeSent(members: object = {}): object {
  return {
    status: "code_sent",
    version: "v1",
    transaction: "t1",
    phone: "+49 ••• ••• 6789",
    expiresInSeconds: 300,
    resendInSeconds: 30,
    attemptsLeft: 5,
    checkInSeconds: 0,
    channels: ["SMS"],
    codeLength: 6,
    delivery: null,
    ...members,
  };
}

export const none = { status: "none", version: "v0" };
export const loggedIn = { status: "logged_in", version: "v9", userId: "u1" };
