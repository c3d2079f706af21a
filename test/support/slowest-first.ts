import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Where the slow tests are, slowest first: what begins last must not be what takes longest. */
const slow = ["/test/chaos/", "/test/inbox/", "/test/faults/", "/test/stores/", "/test/page/", "/test/examples/"];

/** Orders the files of tests so that all workers have something to do until the end. */
export class SlowestFirst extends BaseSequencer {
  /** Slow folders first, and the other files by what vitest knows of them: their last duration, else their size. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const place = slow.findIndex((folder) => moduleId.includes(folder));
      return place < 0 ? slow.length : place;
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
