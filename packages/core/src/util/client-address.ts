import { BlockList, isIPv4, isIPv6 } from "node:net";

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
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return groups.map((group) => group.toString(16)).join(":");
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}

function groupsOf(ipv6: string): readonly number[] {
  // The URL parser writes every spelling in one form, without an IPv4 address at its end.
  const [left = "", right = ""] = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split("::");
  const [before, after] = [parseGroups(left), parseGroups(right)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function parseGroups(text: string): readonly number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
