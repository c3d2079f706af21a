import { hash } from "node:crypto";
import { type ClosedGroup, type Doorcode, doorcodeParts, maskDigits } from "@doorcode/core/adapter";

/**
 * Returns the name under which a form refers to a closed group. The address itself stands in no page: an unkeyed digest of an IPv4 address
 * could be turned back, so this one is keyed.
 */
export function digestOfGroup(doorcode: Doorcode, { kind, value }: Pick<ClosedGroup, "kind" | "value">): string {
  return doorcode[doorcodeParts].login?.keys.fingerprint(`${kind} ${value}`) ?? "";
}

/**
 * Shows a closed group without the address of a person: the last part of an IPv4 address and the last 80 bits of an IPv6 address are hidden,
 * and a fingerprint tells two apart. The block is the beginning of numbers, and nobody's.
 */
export function groupText(doorcode: Doorcode, group: ClosedGroup): string {
  const { kind, value } = group;
  if (kind === "block" || kind === "wide_block") return `${value}…`;
  const fingerprint = digestOfGroup(doorcode, group).slice(0, 6);
  return `${maskAddress(value)} (${fingerprint})`;
}

function maskAddress(value: string): string {
  if (value.includes(":")) return `${value.split(":").slice(0, 3).join(":")}:…`;
  if (value.includes(".")) return `${value.split(".").slice(0, 3).join(".")}.…`;
  return value;
}

/** Members whose values are codes or secrets, whatever they look like. */
const secretMember = /code|otp|pin|token|secret|password|signature|key|auth|cookie|session/i;
/** What an operator compares with a log, and what can hold neither a number nor a code: an instant, and an id of the service. */
const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const idForm = /^[a-z]{1,10}_(?!.*\d{6})[0-9a-f]{8,64}$/;
/** Each level is indented, so a small body of many levels would become a page of megabytes. */
const maxDepth = 50;

/** Returns a body of JSON with every number and every value that may be a code masked; any other text with its digits masked. */
export function maskBody(body: string): string {
  try {
    return JSON.stringify(maskValue(JSON.parse(body), ""), null, 2);
  } catch {
    return maskDigits(body);
  }
}

function maskValue(value: unknown, member: string, depth = 0): unknown {
  if (depth > maxDepth) return "[…]";
  if (Array.isArray(value)) return value.map((entry) => maskValue(entry, member, depth + 1));
  const isSecret = secretMember.test(member);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => [
        maskDigits(name),
        maskValue(entry, isSecret ? member : name, depth + 1),
      ]),
    );
  }
  if (typeof value === "boolean" || value === null) return value;
  if (isSecret) return "[…]";
  const text = String(value);
  if (instantForm.test(text) || idForm.test(text)) return value;
  const masked = maskDigits(text);
  return masked === text ? value : masked;
}

/** Returns the name under which a form refers to all dead letters of one error. */
export function digestOfError(text: string): string {
  return hash("sha256", text).slice(0, 24);
}
