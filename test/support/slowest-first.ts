import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The projects in the order in which they run. A worker keeps its modules, and its browser, only while the next file is one of the same
 * project. The project with the most files is last, and its files are short.
 */
const projects = ["pages", "separate", "shared"];

/** The files and folders with slow tests, the slowest first. */
const slow = [
  "/test/chaos/",
  "/test/fresh-apps/",
  "/test/faults/",
  "/test/page/reading",
  "/test/examples/host-apps",
  "/test/explore/",
  "/test/simulation/",
  "/test/examples/",
  "/test/inbox/",
  "/test/stores/",
  "/test/structure/",
];

/** Orders test files so that workers go on with the same project, and that no slow file begins last, when the others have nothing left to do. */
export class SlowestFirst extends BaseSequencer {
  /** Slow files of a project first; its others by their last duration, or by their size if vitest has not run them here. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const index = slow.findIndex((path) => moduleId.includes(path));
      return index < 0 ? slow.length : index;
    };
    const turn = ({ project }: TestSpecification) => projects.indexOf(project.name);
    return sorted.toSorted((a, b) => turn(a) - turn(b) || rank(a) - rank(b));
  }
}
