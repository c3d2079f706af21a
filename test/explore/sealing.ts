import { setImmediate } from "node:timers/promises";

/*
 * Sessions are sealed on threads of Node, which the scheduler does not see. So the calls of Web Crypto run one after the other, in the
 * order in which they were made, and nothing is decided while one of them runs.
 */

const sealing = ["importKey", "deriveKey", "encrypt", "decrypt", "sign", "verify"] as const;

let running = 0;
let last: Promise<unknown> = Promise.resolve();

function inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
  running++;
  const called = last.then(call).finally(() => {
    running--;
  });
  last = called.catch(() => undefined);
  return called;
}

/** Gives the calls of Web Crypto in this thread an order. */
export function orderSealing(): void {
  const { subtle } = globalThis.crypto;
  for (const name of sealing) {
    const call: unknown = Reflect.get(subtle, name);
    const value = (...given: unknown[]) => inTurn(() => Reflect.apply(call as () => Promise<unknown>, subtle, given));
    Object.defineProperty(subtle, name, { value });
  }
}

/** Resolves when the present turn of the event loop is over, and no call of Web Crypto runs. */
export async function turnEnd(): Promise<void> {
  do await setImmediate();
  while (running > 0);
}
