import { Agent, type Dispatcher } from "undici";
import { connectInProcess, type FetchTarget } from "./http/connect-in-process.ts";

export type { FetchTarget } from "./http/connect-in-process.ts";

/**
 * Creates an undici dispatcher whose connections all end at the sandbox, with no port. Requests name
 * the sandbox's own `url`, or this machine.
 *
 * It is undici's own agent over connections in memory: bodies, aborts, time-outs, `close` and `destroy` are those of a real
 * connection. A `fetch` that rejects with ConnectionCut shows as `UND_ERR_SOCKET`; any other error of it is the error of the
 * request. The sandbox sees `http` URLs with the host of the request. Nothing of it keeps the process alive. It is
 * for undici 8, its `fetch` included; the global `fetch` of Node has an undici of its own and cannot use it.
 *
 * @param sandbox - anything with a `fetch`; it is called once a request, with a `signal` that aborts when the caller leaves.
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
