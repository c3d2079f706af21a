import { createNumberColumn } from "./number-column.ts";
import {
  addEntry,
  addText,
  compress,
  createSegment,
  decompress,
  type Entry,
  entriesOf,
  entryBytesOf,
  hasRoom,
  isSparse,
  readText,
  type Segment,
} from "./segment.ts";
import { createSegmentBuffers } from "./segment-buffers.ts";

/** The sizes of a {@link RecordLog}. */
export interface LogSizes {
  /** Bytes of a segment. Reading a compressed text decompresses its segment. Default 65,536. */
  readonly segmentBytes?: number;
  /** Segments of recent texts, which are not compressed. Default 128. */
  readonly maxRecent?: number;
}

/** The texts of records, as bytes outside of the heap. */
export interface RecordLog {
  /** Keeps a text for a record, in place of the one that it had. */
  write(record: number, text: string): void;
  /** Returns the text of a record; undefined if it has none. */
  read(record: number): string | undefined;
}

/**
 * Creates an empty log. A text is added to the newest segment. When there are many segments, the texts of the oldest one that were not
 * replaced move to a segment that is compressed when it is full: a record of a message takes about 70 bytes there.
 */
export function createRecordLog({ segmentBytes = 65_536, maxRecent = 128 }: LogSizes = {}): RecordLog {
  const buffers = createSegmentBuffers(segmentBytes);
  const segments = new Map<number, Segment>();
  /** The segment of a record's text, and the offset there. The segment 0 is none. */
  const [segmentOf, offsetOf] = [createNumberColumn(), createNumberColumn()];
  const bytesOf = createSegmentReader();
  let opened = 0;
  const open = (minBytes: number) => {
    const segment = createSegment(++opened, buffers.take(minBytes));
    segments.set(segment.number, segment);
    return segment;
  };
  /** The segments with recent texts, the oldest first. */
  const recent = new Set<Segment>();
  let newest = open(0);
  /** The segment that older texts move to. */
  let older = open(0);

  const place = (record: number, segment: Segment, offset: number) => {
    segmentOf.set(record, segment.number);
    offsetOf.set(record, offset);
  };
  const isPlaced = ({ record, offset }: Entry, { number }: Segment) =>
    segmentOf.get(record) === number && offsetOf.get(record) === offset;
  const closeOlder = (minBytes: number) => {
    const full = older;
    older = open(minBytes);
    if (isSparse(full)) return dissolve(full);
    const { bytes } = full;
    compress(full, buffers.copy);
    buffers.giveBack(bytes);
  };
  const keep = (entry: Entry) => {
    if (!hasRoom(older, entry.bytes.byteLength)) closeOlder(entry.bytes.byteLength);
    place(entry.record, older, addEntry(older, entry));
  };
  /** Moves the texts that were not replaced, and drops the segment. */
  const dissolve = (segment: Segment) => {
    for (const entry of segment.live > 0 ? entriesOf(segment) : []) if (isPlaced(entry, segment)) keep(entry);
    segments.delete(segment.number);
    recent.delete(segment);
    buffers.giveBack(segment.bytes);
  };
  const leave = (record: number) => {
    const segment = segments.get(segmentOf.get(record));
    segmentOf.set(record, 0);
    if (!segment) return;
    segment.live--;
    const isWaste = segment.isCompressed ? isSparse(segment) : segment.live === 0 && recent.has(segment);
    if (isWaste) dissolve(segment);
  };
  const closeNewest = (minBytes: number) => {
    recent.add(newest);
    newest = open(minBytes);
    const [oldest] = recent;
    if (oldest && recent.size > maxRecent) dissolve(oldest);
  };

  return {
    write(record, text) {
      leave(record);
      const byteLength = entryBytesOf(text);
      if (!hasRoom(newest, byteLength)) closeNewest(byteLength);
      place(record, newest, addText(newest, record, text));
    },
    read(record) {
      const segment = segments.get(segmentOf.get(record));
      return segment && readText(bytesOf(segment), offsetOf.get(record));
    },
  };
}

/** Remembers the last segment that it decompressed, because records are mostly read in their order. */
function createSegmentReader(): (segment: Segment) => Buffer {
  let last: { readonly number: number; readonly bytes: Buffer } | undefined;
  return (segment) => {
    if (!segment.isCompressed) return segment.bytes;
    if (last?.number !== segment.number) last = { number: segment.number, bytes: decompress(segment) };
    return last.bytes;
  };
}
