import type { ManualClock } from "@doorcode/core/testing";

/** Lets the time of an app pass until a promise is fulfilled. */
export async function advanceUntil<Value>(
  { clock }: { readonly clock: ManualClock },
  promise: Promise<Value>,
): Promise<Value> {
  let isFulfilled = false;
  void promise.then(() => {
    isFulfilled = true;
  });
  while (!isFulfilled) {
    await clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return promise;
}
