import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createRecordLog } from "../src/state/record-log.ts";

/** A segment has room for about fifty texts. */
const sizes = { segmentBytes: 2_000, maxRecent: 3 };
/** A lone surrogate is escaped in JSON, because no encoding of bytes has it. */
const textOf = (number: number) => JSON.stringify({ number, text: "é\ud83d\ude00\ud83d" });

function fill(count: number) {
  const log = createRecordLog(sizes);
  for (let record = 0; record < count; record++) log.write(record, textOf(record));
  return log;
}

/** Counts the bytes of buffers that are created from now on. */
function countBytes() {
  const create = vi.spyOn(Buffer, "allocUnsafeSlow");
  onTestFinished(() => create.mockRestore());
  return () => create.mock.calls.reduce((sum, [byteLength]) => sum + byteLength, 0);
}

describe("a log of records", () => {
  test("reads each text as it was written last, after any writes", () => {
    const write = fc.record({ record: fc.nat(40), length: fc.oneof(fc.nat(30), fc.constant(2_000)) });
    fc.assert(
      fc.property(fc.array(write, { maxLength: 300 }), (writes) => {
        const log = createRecordLog(sizes);
        const model = new Map<number, string>();
        for (const [index, { record, length }] of writes.entries()) {
          const text = `${index} ${"ü".repeat(length)}`;
          log.write(record, text);
          model.set(record, text);
        }
        for (let record = 0; record <= 41; record++) expect(log.read(record)).toBe(model.get(record));
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  test("compresses texts, unless they are among those that were written last", () => {
    const bytes = countBytes();
    const log = fill(10_000);
    const texts = Array.from({ length: 10_000 }, (_, record) => textOf(record));
    expect(bytes()).toBeLessThan(Buffer.byteLength(texts.join("")) / 3);
    expect(texts.map((_, record) => log.read(record))).toEqual(texts);
  });

  test.each([3, 1_000])(
    "needs no further buffers for texts that are replaced again and again, with %i segments",
    (maxRecent) => {
      const log = createRecordLog({ ...sizes, maxRecent });
      const bytes = countBytes();
      for (let write = 0; write < 10_000; write++) log.write(write % 10, textOf(write));
      expect(bytes()).toBeLessThan(10 * sizes.segmentBytes);
    },
  );
});
