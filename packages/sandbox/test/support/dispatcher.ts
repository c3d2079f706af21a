import type { Dispatcher } from "undici";
import { onTestFinished } from "vitest";
import { createDispatcher } from "../../src/undici.ts";

/** Where no server is. */
export const origin = "http://localhost:4010";

/** A dispatcher that answers with the function, destroyed when the test is over. */
export function answering(handle: (request: Request) => Response | Promise<Response>): Dispatcher {
  const dispatcher = createDispatcher({ fetch: handle });
  onTestFinished(() => dispatcher.destroy());
  return dispatcher;
}
