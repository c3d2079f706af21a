import { randomBytes } from "node:crypto";
import type { SandboxDeps } from "../../sandbox/sandbox-deps.ts";
import type { Notice } from "../layout/layout-data.ts";

/** The parts that all routes of the page share. */
export interface PageContext {
  /** The parts of the sandbox. */
  readonly deps: SandboxDeps;
  /** The results of forms, for the next page. */
  readonly notices: Notices;
}

/** The notices that wait for the next page. */
export interface Notices {
  /** Keeps a notice and returns its token, for the query `flash` of the next page. A token reveals nothing. */
  keep(notice: Notice): string;
  /** Returns and removes a notice; undefined when there is none with this token. */
  take(token: string | undefined): Notice | undefined;
}

/** A page that is never requested must not keep its notice forever. */
const maxNotices = 100;

/** Creates an empty list of notices. */
export function createNotices(): Notices {
  const notices = new Map<string, Notice>();
  return {
    keep(notice) {
      const token = randomBytes(16).toString("base64url");
      notices.set(token, notice);
      const [oldest] = notices.keys();
      if (notices.size > maxNotices && oldest !== undefined) notices.delete(oldest);
      return token;
    },
    take(token = "") {
      const notice = notices.get(token);
      notices.delete(token);
      return notice;
    },
  };
}
