import { Agent, type Dispatcher } from "undici";
import { connectInProcess, type FetchTarget } from "./http/in-process-connection.ts";

export type { FetchTarget } from "./http/in-process-connection.ts";

/**
 * Creates an undici dispatcher whose connections all end at the sandbox, without a port. Requests must name the `url` of the
 * sandbox, or this machine.
 *
 * It is an undici agent with connections in memory. Bodies, aborts, time-outs, `close` and `destroy` work as over a real
 * connection. When `fetch` rejects with ConnectionCut, the request fails with `UND_ERR_SOCKET`; any other error is the error
 * of the request. The sandbox sees `http` URLs with the host of the request. An open connection does not keep the process
 * alive. The dispatcher is for undici 8 and its `fetch`. Node's global `fetch` has its own undici and cannot use it.
 *
 * @param sandbox - any object with a `fetch`. It is called once for each request, with a `signal` that aborts when the
 * caller disconnects.
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * import { createDispatcher } from "@doorcode/sandbox/undici";
 * declare const sandbox: { fetch(request: Request): Promise<Response> };
 * const service = { baseUrl: "http://localhost/v1", apiKey: "sandbox-api-key", dispatcher: createDispatcher(sandbox) };
 * const doorcode = createDoorcode({ service });
 */
export function createDispatcher(sandbox: FetchTarget): Dispatcher {
  return new Agent({ connect: connectInProcess(sandbox) });
}
