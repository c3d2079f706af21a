/** A request as far as frameworks read it for the client's address. */
export interface ForwardedRequest {
  /** The connection. */
  readonly socket: { readonly remoteAddress: string };
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
}

// Addresses that belong to no machine (RFC 5737), in more steps than any app has proxies.
const farthest = "198.51.100.1";
const stranger = "192.0.2.1";
const throughStrangers: ForwardedRequest = {
  socket: { remoteAddress: stranger },
  headers: { "x-forwarded-for": [farthest, ...Array<string>(32).fill(stranger)].join(", ") },
};

/**
 * Tells whether a framework believes the forwarded headers of everybody, so that clients can choose their own address. A
 * framework that believes a number of proxies does not.
 *
 * @param addressOf - returns the client's address of a request, by the framework's own rules.
 */
export function trustsEverybody(addressOf: (request: ForwardedRequest) => string | undefined): boolean {
  return addressOf(throughStrangers) === farthest;
}
