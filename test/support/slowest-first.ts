import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Their order. A process is used for the next file only if that is one of the same project, so each project's files stand together. */
const projects = ["separate", "pages", "shared"];

/** The files and folders with slow tests, in each project the slowest first. */
const slow = [
  "/test/chaos/",
  "/test/fresh-apps/",
  "/test/faults/",
  "/test/inbox/",
  "/test/stores/",
  "/packages/sandbox/test/exec",
  "/packages/sandbox/test/cli",
  "/test/page/reading",
  "/test/page/operations",
  "/test/page/login-page/",
  "/test/examples/nextjs",
  "/test/examples/",
  "/test/explore/",
  "/test/structure/documents",
  "/test/simulation/",
  "/test/structure/",
];

/** Orders test files so that no slow one begins last, when the other workers have nothing left to do. */
export class SlowestFirst extends BaseSequencer {
  /** Slow files of a project first; its others by their last duration, or by their size if vitest has not run them here. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const index = slow.findIndex((path) => moduleId.includes(path));
      return index < 0 ? slow.length : index;
    };
    const place = ({ project }: TestSpecification) => projects.indexOf(project.name);
    return sorted.toSorted((a, b) => place(a) - place(b) || rank(a) - rank(b));
  }
}
