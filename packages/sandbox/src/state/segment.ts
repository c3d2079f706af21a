import { deflateRawSync, inflateRawSync } from "node:zlib";

/** Texts of records in one buffer, each behind the number of its record and its length in bytes. */
export interface Segment {
  /** The number of the segment. */
  readonly number: number;
  /** The entries, compressed or not. */
  bytes: Buffer;
  /** True when `bytes` are compressed. Then nothing can be added. */
  isCompressed: boolean;
  /** The end of the last entry, before the compression. */
  end: number;
  /** Number of entries. */
  count: number;
  /** Number of entries that are the newest text of their record. */
  live: number;
}

/** An entry of a segment that is not compressed. */
export interface Entry {
  /** The number of the record. */
  readonly record: number;
  /** The position of the entry. */
  readonly offset: number;
  /** The bytes of the entry. */
  readonly bytes: Buffer;
}

const headerBytes = 8;

/** Creates an empty segment in a buffer. */
export function createSegment(number: number, bytes: Buffer): Segment {
  return { number, bytes, isCompressed: false, end: 0, count: 0, live: 0 };
}

/** Returns the number of bytes that an entry with this text takes. */
export function entryBytesOf(text: string): number {
  return headerBytes + Buffer.byteLength(text);
}

/** Tells whether a segment has room for an entry. */
export function hasRoom({ bytes, end }: Segment, byteLength: number): boolean {
  return end + byteLength <= bytes.byteLength;
}

/** Adds an entry with a text, for which there is room, and returns its offset. */
export function addText(segment: Segment, record: number, text: string): number {
  const { bytes, end: offset } = segment;
  const written = bytes.write(text, offset + headerBytes);
  bytes.writeUInt32LE(record, offset);
  bytes.writeUInt32LE(written, offset + 4);
  return advance(segment, headerBytes + written);
}

/** Adds a copy of an entry, for which there is room, and returns its offset. */
export function addEntry(segment: Segment, entry: Entry): number {
  segment.bytes.set(entry.bytes, segment.end);
  return advance(segment, entry.bytes.byteLength);
}

/** Tells whether most entries of a segment have been replaced. */
export function isSparse({ live, count }: Segment): boolean {
  return live <= count / 2;
}

/** Replaces the bytes of a segment by compressed ones, which take a tenth of the memory. */
export function compress(segment: Segment, copy: (bytes: Uint8Array) => Buffer): void {
  // Higher levels take three times as long and save a tenth. The result is a part of a larger buffer, which it would keep.
  segment.bytes = copy(deflateRawSync(segment.bytes.subarray(0, segment.end), { level: 1 }));
  segment.isCompressed = true;
}

/** Returns the bytes of a segment before its compression. */
export function decompress({ bytes, isCompressed, end }: Segment): Buffer {
  return isCompressed ? inflateRawSync(bytes, { chunkSize: Math.max(64, end) }) : bytes;
}

/** Reads the text of the entry at an offset. */
export function readText(bytes: Buffer, offset: number): string {
  const start = offset + headerBytes;
  return bytes.toString("utf8", start, start + bytes.readUInt32LE(offset + 4));
}

/** Iterates over the entries of a segment. */
export function* entriesOf(segment: Segment): Iterable<Entry> {
  const bytes = decompress(segment);
  for (let offset = 0; offset < segment.end; ) {
    const next = offset + headerBytes + bytes.readUInt32LE(offset + 4);
    yield { record: bytes.readUInt32LE(offset), offset, bytes: bytes.subarray(offset, next) };
    offset = next;
  }
}

function advance(segment: Segment, byteLength: number): number {
  const offset = segment.end;
  segment.end += byteLength;
  segment.count++;
  segment.live++;
  return offset;
}
