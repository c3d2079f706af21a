import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files and folders with slow tests, the slowest first. */
const slow = [
  "/test/chaos/",
  "/test/fresh-apps/",
  "/test/faults/",
  "/test/explore/",
  "/test/simulation/",
  "/test/inbox/processes",
  "/test/page/reading",
  "/test/examples/",
  "/test/page/",
  "/test/inbox/",
  "/test/stores/",
  "/test/structure/",
  "/packages/sandbox/test/exec",
  "/packages/sandbox/test/cli",
];

/** Orders test files so that no slow one begins last, when the other workers have nothing left to do. */
export class SlowestFirst extends BaseSequencer {
  /** Slow files first; the others by their last duration, or by their size if vitest has not run them here. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const index = slow.findIndex((path) => moduleId.includes(path));
      return index < 0 ? slow.length : index;
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
