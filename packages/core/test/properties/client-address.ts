import assert from "node:assert/strict";
import { isIP } from "node:net";
import fc from "fast-check";
import { parseClientAddress, unknownClient } from "../../src/util/client.ts";
import { anyText, createProperty, mutated, type ParserProperty } from "./property.ts";

const ports = fc.nat(65_535);
const zones = fc.constantFrom("%eth0", "%1", "%en-0.1");

const ipv4Bytes = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const groupsOfMapped = ([a, b, c, d]: readonly [number, number, number, number]) =>
  [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(":");

const zeroOrAny = fc.oneof(fc.constant(0), fc.nat(0xffff));
/** The eight groups of an IPv6 address that is no IPv4 address. */
const ipv6Groups = fc
  .array(zeroOrAny, { minLength: 8, maxLength: 8 })
  .filter((groups) => groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff);

/** Every spelling of an IPv6 address. */
function spellingsOf(groups: readonly number[]): fc.Arbitrary<string> {
  const hex = groups.map((group) => group.toString(16));
  const full = hex.join(":");
  const padded = hex.map((group) => group.padStart(4, "0")).join(":");
  const withoutZeros = full.replace(/(?:^|:)0(?::0)+(?:$|:)/, "::");
  const [high = 0, low = 0] = groups.slice(6);
  const dotted = `${hex.slice(0, 6).join(":")}:${[high >> 8, high & 255, low >> 8, low & 255].join(".")}`;
  const bare = fc
    .constantFrom(full, padded, withoutZeros, dotted)
    .chain((text) => fc.constantFrom(text, text.toUpperCase()));
  return fc.oneof(
    bare,
    fc.tuple(bare, zones).map(([text, zone]) => text + zone),
    bare.map((text) => `[${text}]`),
    fc.tuple(bare, ports).map(([text, port]) => `[${text}]:${port}`),
    bare.map((text) => ` ${text} `),
  );
}

/** The invariants of `parseClientAddress`. */
export const clientAddressProperties: readonly ParserProperty[] = [
  createProperty(
    "L13: every spelling of an IPv4 address, also as ::ffff:, is that address in its /24",
    fc.record({ bytes: ipv4Bytes, port: ports, spelling: fc.nat(6) }),
    ({ bytes, port, spelling }) => {
      const text = bytes.join(".");
      const spellings = [
        text,
        `${text}:${port}`,
        `::ffff:${text}`,
        `[::FFFF:${text}]:${port}`,
        `::ffff:${groupsOfMapped(bytes)}`,
        `0:0:0:0:0:ffff:${text}`,
        `::ffff:${text}%eth0`,
      ];
      const network = `${bytes.slice(0, 3).join(".")}.0/24`;
      assert.deepEqual(parseClientAddress(spellings[spelling]), { address: text, network });
    },
  ),
  createProperty(
    "L13: every spelling of an IPv6 address is its /64 in its /48",
    ipv6Groups.chain((groups) => fc.record({ groups: fc.constant(groups), text: spellingsOf(groups) })),
    ({ groups, text }) => {
      const hex = groups.map((group) => group.toString(16));
      assert.deepEqual(parseClientAddress(text), {
        address: `${hex.slice(0, 4).join(":")}::/64`,
        network: `${hex.slice(0, 3).join(":")}::/48`,
      });
    },
  ),
  createProperty(
    "L13: any text is read as an address or is unknown, and no text that is no address passes as one",
    fc.oneof(anyText, mutated(fc.oneof(fc.ipV4(), fc.ipV6()), fc.oneof(anyText, fc.constantFrom(..."[]:.%/,0")))),
    (text) => {
      const { address, network } = parseClientAddress(text);
      if (address === unknownClient.address) {
        assert.equal(network, unknownClient.network);
        assert.equal(isIP(text), 0);
        return;
      }
      const [prefix = "", bits] = address.split("/");
      assert.notEqual(isIP(prefix), 0);
      assert.equal(bits, isIP(prefix) === 6 ? "64" : undefined);
      assert.match(network, isIP(prefix) === 6 ? /^[0-9a-f:]+::\/48$/ : /^[0-9.]+\.0\/24$/);
    },
  ),
];
