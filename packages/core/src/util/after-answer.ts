import { AsyncLocalStorage } from "node:async_hooks";
import { createWarning } from "./errors.ts";

/** Takes work that goes on after an answer. The host keeps the process running until it has settled. */
export type WaitUntil = (work: Promise<unknown>) => unknown;

/** The work of the present request. It is found without being passed through every function in between. */
const ofRequest = new AsyncLocalStorage<Set<Promise<unknown>>>();

const warnOfHost = createWarning(
  "wait_until_failed",
  "waitUntil failed, so work after an answer may be lost. Give the promise to a function of this host, such as `after` of " +
    "next/server, and leave waitUntil out where the process goes on after an answer.",
);

/** Notes work that may go on after the answer of the present request. It does nothing where no host waits for it. */
export function afterAnswer(work: Promise<unknown>): void {
  const noted = ofRequest.getStore();
  if (!noted) return;
  const forget = () => void noted.delete(work);
  noted.add(work);
  work.then(forget, forget);
}

/**
 * Answers a request, and gives the host the work that is still pending then: one promise, which also covers what that work begins. It
 * settles as `answer` does. If `waitUntil` throws or rejects, that becomes a process warning, because the answer may hold a cookie.
 */
export async function answerAndHandOver<Answer>(
  waitUntil: WaitUntil | undefined,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  if (!waitUntil) return answer();
  const noted = new Set<Promise<unknown>>();
  try {
    return await ofRequest.run(noted, answer);
  } finally {
    if (noted.size > 0) handOver(waitUntil, settled(noted));
  }
}

async function settled(noted: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (noted.size > 0) await Promise.allSettled(noted);
}

function handOver(waitUntil: WaitUntil, work: Promise<void>): void {
  try {
    // A function of the app may be async: without this, its rejection would end the process.
    Promise.resolve(waitUntil(work)).catch(warnOfHost);
  } catch {
    warnOfHost();
  }
}
