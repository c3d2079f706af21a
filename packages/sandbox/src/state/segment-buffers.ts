/** The buffers of segments. */
export interface SegmentBuffers {
  /** Returns a buffer of at least this size. Its content is anything. */
  take(minBytes: number): Buffer;
  /** Takes back a buffer that is no longer needed. */
  giveBack(bytes: Buffer): void;
  /** Returns a copy of bytes that stay. */
  copy(bytes: Uint8Array): Buffer;
}

/** The size of the first buffers: most applications of tests have a few records. */
const firstBytes = 1_024;
/** Compressed segments share buffers of so many segments. */
const copiesFactor = 16;

/**
 * Creates the buffers of a log. They become larger as there are more, up to `segmentBytes`, and are used again, because a buffer is
 * freed only when the garbage collector runs.
 */
export function createSegmentBuffers(segmentBytes: number): SegmentBuffers {
  const spare: Buffer[] = [];
  let taken = 0;
  let block = Buffer.alloc(0);
  let used = 0;
  return {
    take(minBytes) {
      const byteLength = Math.max(minBytes, Math.min(firstBytes * 2 ** Math.floor(taken++ / 2), segmentBytes));
      const used = byteLength === segmentBytes ? spare.pop() : undefined;
      // Not from Node's pool, which one segment would keep as a whole.
      return used ?? Buffer.allocUnsafeSlow(byteLength);
    },
    giveBack(bytes) {
      if (bytes.byteLength === segmentBytes) spare.push(bytes);
    },
    copy(bytes) {
      // Thousands of small buffers between those of requests would leave gaps as large as they are.
      if (used + bytes.byteLength > block.byteLength) {
        block = Buffer.allocUnsafeSlow(Math.max(bytes.byteLength, segmentBytes * copiesFactor));
        used = 0;
      }
      block.set(bytes, used);
      used += bytes.byteLength;
      return block.subarray(used - bytes.byteLength, used);
    },
  };
}
