import { DoorcodeError } from "../util/errors.ts";

/** The bytes that all bodies of the process may hold together before they are verified or parsed. */
const maxHeldBytes = 16 * 1024 * 1024;

/** A body has five seconds, so all bodies that are held now are gone by then. */
const retryAfterSeconds = 5;

/** The bodies of the process that hold bytes, the oldest first, each with the function that refuses it. */
const holders = new Map<object, (error: DoorcodeError) => void>();
let heldBytes = 0;

/** The bytes of one body that is being read. */
export interface CollectedBytes {
  /** Adds a chunk. It may refuse this body or an older one. */
  add(chunk: Uint8Array): void;
  /** Returns the bytes so far. */
  bytes(): Uint8Array;
  /** Drops the bytes, which are complete or refused, and ends their count. A second call changes nothing. */
  release(): void;
}

/**
 * Collects the bytes of a body in one growing buffer of at most twice their size, because a chunk of one byte that is kept takes 200 bytes
 * and more. The length that a client declares reserves nothing.
 *
 * All bodies of the process together hold at most 16 MiB. Beyond that the oldest one is refused: a stranger who never ends a body cannot
 * keep out a body that comes at once. The reader releases a complete body, whose caller verifies or parses it in the same turn of the event
 * loop, before more can come.
 *
 * @param refuse - ends the reading and calls `release`. It gets `body_too_large` as soon as more than `limitBytes` have come, and
 * `server_busy` if others need the place.
 */
export function collectBytes(limitBytes: number, refuse: (error: DoorcodeError) => void): CollectedBytes {
  let buffer = Buffer.alloc(0);
  let length = 0;

  function grow(minBytes: number): void {
    const larger = Buffer.alloc(Math.min(limitBytes, Math.max(minBytes, 2 * buffer.byteLength)));
    larger.set(buffer);
    heldBytes += larger.byteLength - buffer.byteLength;
    buffer = larger;
    holders.set(collected, refuse);
  }

  const collected: CollectedBytes = {
    add(chunk) {
      const newLength = length + chunk.byteLength;
      if (newLength > limitBytes) return refuse(new DoorcodeError("body_too_large"));
      if (newLength > buffer.byteLength) grow(newLength);
      buffer.set(chunk, length);
      length = newLength;
      refuseOldest();
    },
    bytes: () => buffer.subarray(0, length),
    release() {
      heldBytes -= buffer.byteLength;
      buffer = Buffer.alloc(0);
      length = 0;
      holders.delete(collected);
    },
  };
  return collected;
}

function refuseOldest(): void {
  for (const refuse of holders.values()) {
    if (heldBytes <= maxHeldBytes) return;
    refuse(new DoorcodeError("server_busy", { retryAfterSeconds }));
  }
}
