import { randomUUID } from "node:crypto";

/** Makes a key that no earlier run on the same server has used. */
export function freshKey(): string {
  return `conformance:${randomUUID()}`;
}

/** For what shall outlive its check, and still not litter the server. */
export const minute = { ttlSeconds: 60 } as const;

/** A lease that lasts for the whole of its check. */
export const long = { leaseSeconds: 60, ttlSeconds: 60 } as const;
