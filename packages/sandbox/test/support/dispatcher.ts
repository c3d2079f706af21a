import type { Dispatcher } from "undici";
import { onTestFinished } from "vitest";
import { createDispatcher } from "../../src/undici.ts";

/** An origin without a server. */
export const origin = "http://localhost:4010";

/** Creates a dispatcher that answers with the function, and destroys it at the end of the test. */
export function answering(handle: (request: Request) => Response | Promise<Response>): Dispatcher {
  const dispatcher = createDispatcher({ fetch: handle });
  onTestFinished(() => dispatcher.destroy());
  return dispatcher;
}
