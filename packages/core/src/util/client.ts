import { BlockList, isIPv4, isIPv6 } from "node:net";
import { warn } from "./errors.ts";
import type { WithHeaders } from "./headers.ts";

/** The client of a request, as limits count it. */
export interface ClientAddress {
  /** An IPv4 address; the /64 of an IPv6 address, because one client may have all of it; or `unknown`. */
  readonly address: string;
  /** The network around the address: a /24 of IPv4, a /48 of IPv6, or `unknown`. */
  readonly network: string;
}

/** All clients whose address is unknown or unreadable. They share one bucket, so that none of them passes uncounted. */
export const unknownClient: ClientAddress = { address: "unknown", network: "unknown" };

/**
 * Parses the client's address, as a framework or a host gives it. Every spelling of an address gives the same result, with a
 * port, brackets or a zone or without them. `::ffff:192.0.2.1` is the IPv4 address 192.0.2.1.
 */
export function parseClientAddress(text: string | undefined): ClientAddress {
  const address = readAddress(text);
  if (address === undefined) return unknownClient;
  if (isIPv4(address)) return { address, network: `${address.slice(0, address.lastIndexOf("."))}.0/24` };
  const groups = address.split(":");
  return { address: `${groups.slice(0, 4).join(":")}::/64`, network: `${groups.slice(0, 3).join(":")}::/48` };
}

const privateNetworks = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const) {
  privateNetworks.addSubnet(network, bits);
}
privateNetworks.addSubnet("::", 127, "ipv6");
privateNetworks.addSubnet("fc00::", 7, "ipv6");
privateNetworks.addSubnet("fe80::", 10, "ipv6");

/** Tells whether the address belongs to a machine on the internet: false for loopback, private and unreadable ones. */
export function isPublicAddress(text: string | undefined): boolean {
  const address = readAddress(text);
  return address !== undefined && !privateNetworks.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

/** Tells whether a text is the address of a machine in a private network, or of this machine. */
export function isPrivateAddress(text: string): boolean {
  return readAddress(text) !== undefined && !isPublicAddress(text);
}

/** Returns an IPv4 address, or the eight groups of an IPv6 address; `undefined` for any other text. */
function readAddress(text: string | undefined): string | undefined {
  const bare = text
    ?.trim()
    .replace(/^\[([^\]]*)\](?::\d{1,5})?$/, "$1")
    .replace(/^([\d.]+):\d{1,5}$/, "$1");
  if (bare === undefined || isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return undefined;
  const groups = groupsOf(bare.replace(/%.*/, ""));
  const address = groups.join(":");
  if (!address.startsWith("0:0:0:0:0:ffff:")) return address;
  const mapped = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return mapped.flatMap((group) => [group >> 8, group & 0xff]).join(".");
}

function groupsOf(ipv6: string): readonly string[] {
  // The URL parser writes every spelling in one form, without an IPv4 address at its end.
  const written = new URL(`http://[${ipv6}]`).hostname.slice(1, -1);
  const [before = [], after = []] = written.split("::").map((part) => part.split(":").filter(Boolean));
  return [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
}

interface AddressedRequest extends WithHeaders {
  readonly remoteAddress: string | undefined;
}

/** Reads the client of a request. */
export type ClientReader<RequestContext> = (request: AddressedRequest, context: RequestContext) => ClientAddress;

/** The setting by which a framework knows its proxies. The kit only reads it, to warn of mistakes. */
export interface ProxySetting<RequestContext> {
  /** A sentence that tells how to set it, for a warning. */
  readonly fix: string;
  /** Tells whether the framework believes the forwarded headers of everybody; false if that cannot be seen. */
  trustsEverybody(context: RequestContext): boolean;
}

/** How the proxy setting of an app is wrong: it hides the clients' addresses, or lets clients choose them. */
export type ProxyMistake = "header_ignored" | "trusts_everybody";

const consequences: Readonly<Record<ProxyMistake, string>> = {
  header_ignored:
    "A request came through a proxy that the app does not know: its address is private or unknown, and the header of the " +
    "proxy was not used. All clients then share the limits of one address.",
  trusts_everybody:
    "The app believes the forwarded headers of everybody, so every client can choose its own address, " +
    "and limits by address stop nobody.",
};

/** Creates the reader of a mount's clients. It warns once of a wrong proxy setting, with which only the limits fail. */
export function createClientReader<RequestContext>(
  onMistake: (mistake: ProxyMistake) => void,
  { fix, trustsEverybody }: ProxySetting<RequestContext>,
): ClientReader<RequestContext> {
  let isAsked = false;
  let isWarned = false;

  function mistakeOf(request: AddressedRequest, context: RequestContext): ProxyMistake | undefined {
    const trusts = !isAsked && trustsEverybody(context);
    isAsked = true;
    if (trusts) return "trusts_everybody";
    return isHeaderIgnored(request) ? "header_ignored" : undefined;
  }

  return (request, context) => {
    const mistake = isWarned ? undefined : mistakeOf(request, context);
    if (mistake) {
      isWarned = true;
      warn("proxy_misconfigured", `${consequences[mistake]} ${fix}`);
      onMistake(mistake);
    }
    return parseClientAddress(request.remoteAddress);
  };
}

/** Headers in which proxies and content delivery networks pass the client's address on. */
const forwardedHeaders = [
  "forwarded",
  "x-forwarded-for",
  "x-real-ip",
  "x-client-ip",
  "true-client-ip",
  "cf-connecting-ip",
  "fly-client-ip",
];

/** Tells whether a proxy has named its client, and the framework answers with a machine of a private network all the same. */
function isHeaderIgnored({ headers, remoteAddress }: AddressedRequest): boolean {
  const values = forwardedHeaders.flatMap((name) => headers[name] ?? []);
  if (values.length === 0 || isPublicAddress(remoteAddress)) return false;
  const named = values.flatMap((value) => value.match(/[\w.:%]+/g) ?? []);
  // Clients may be in a private network too. Then the framework has read their address from the header, which has no public one.
  const isRead = remoteAddress !== undefined && named.includes(remoteAddress) && !named.some(isPublicAddress);
  return named.length > 0 && !isRead;
}

/** A request as far as frameworks read it for the client's address. */
export interface ForwardedRequest {
  readonly socket: { readonly remoteAddress: string };
  readonly headers: Readonly<Record<string, string>>;
}

// Addresses that belong to no machine (RFC 5737), in more steps than any app has proxies.
const farthest = "198.51.100.1";
const stranger = "192.0.2.1";
const throughStrangers: ForwardedRequest = {
  socket: { remoteAddress: stranger },
  headers: { "x-forwarded-for": [farthest, ...Array<string>(32).fill(stranger)].join(", ") },
};

/** Tells whether a framework believes the forwarded headers of everybody. One that trusts a number of proxies does not. */
export function trustsEverybody(addressOf: (request: ForwardedRequest) => string | undefined): boolean {
  return addressOf(throughStrangers) === farthest;
}

/** The part of a `User-Agent` by which a browser or a system is recognized, and its name. */
type ProductToken = readonly [text: string, name: string];

/** A browser's `User-Agent` also has the texts of those after it. */
const browsers: readonly ProductToken[] = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["CriOS/", "Chrome"],
  ["Safari/", "Safari"],
];

const systems: readonly ProductToken[] = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["CrOS", "ChromeOS"],
  ["Macintosh", "macOS"],
  ["Linux", "Linux"],
];

/**
 * Says in words which browser a request came from, such as "Firefox on Windows"; `undefined` if nothing is recognized. It is what the client
 * says of itself, in words of the kit alone: apps put it into messages, and a stranger must not choose their text.
 */
export function summarizeClient({ headers }: WithHeaders): string | undefined {
  const userAgent = String(headers["user-agent"]);
  const known = [browsers, systems].map((tokens) => tokens.find(([text]) => userAgent.includes(text))?.[1]);
  return known.filter((name) => name !== undefined).join(" on ") || undefined;
}
