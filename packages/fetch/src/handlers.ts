import { functionOption, parseOptions, refuse, strictOptions } from "@doorcode/core/adapter";
import { createFetchResponse } from "./response.ts";
import type { FetchClient, ServeFetch } from "./serve.ts";

/** What a host calls a handler with: a request, or an event that has one; and what the host adds. */
export type FetchCall = readonly [request: Request | { readonly request: Request }, ...more: unknown[]];

/** A handler of a host's route. It answers a path that is not the mount's with 404 `not_found`. */
export type FetchHandler<Call extends FetchCall> = (...call: Call) => Promise<Response>;

/** Options that a mount's handlers need of their host. */
export interface FetchHostOptions<Call extends FetchCall> {
  /** The client's address, by the host's own helper. `null` and `undefined` are a client that the host does not know. */
  readonly remoteAddress?: ((...call: Call) => string | null | undefined) | undefined;
  /**
   * Gives the host the work that goes on after an answer. A host that freezes its processes then keeps this one running.
   * Default: nothing is given, which is right for a server that goes on.
   */
  readonly waitUntil?: ((work: Promise<unknown>, ...call: Call) => unknown) | undefined;
}

const hostFunction = functionOption("expected a function").optional();
const loginShape = strictOptions({ remoteAddress: hostFunction, waitUntil: hostFunction });
const webhookShape = strictOptions({ waitUntil: hostFunction });

/** Checks what a login needs of its host. @throws TypeError for anything but functions */
export function checkLoginHost(options: FetchHostOptions<never>): void {
  parseOptions("phoneLogin", loginShape, options);
}

/** Checks what webhooks need of their host. @throws TypeError for anything but functions, and for an unknown option */
export function checkWebhookHost(options: FetchHostOptions<never>): void {
  parseOptions("webhooks", webhookShape, options);
}

const remoteAddressFix =
  "phoneLogin: handlers need remoteAddress, the client's address, which limits are counted by. Give the helper of your host: " +
  '({ headers }) => headers.get("x-real-ip") where the platform sets this header; ' +
  "(event) => event.getClientAddress() on SvelteKit. With () => undefined all clients share the limits of one address.";

/** Returns the reader of the client's address. @throws TypeError without one */
export function requireRemoteAddress<Call extends FetchCall>({
  remoteAddress,
}: FetchHostOptions<Call>): NonNullable<typeof remoteAddress> {
  if (!remoteAddress) throw new TypeError(remoteAddressFix);
  return remoteAddress;
}

/** Creates the handler of a mount. It rejects as the mount does, so that the host shows its error page. */
export function createHandler<Call extends FetchCall>(
  serve: ServeFetch,
  { remoteAddress, waitUntil }: FetchHostOptions<Call>,
): FetchHandler<Call> {
  return async (...call) => {
    const [first] = call;
    const request = "request" in first ? first.request : first;
    const client: FetchClient = {
      remoteAddress: remoteAddress?.(...call) ?? undefined,
      ...(waitUntil && { waitUntil: (work) => waitUntil(work, ...call) }),
    };
    return (await serve(request, client)) ?? createFetchResponse(refuse("not_found"), request, new Headers());
  };
}
