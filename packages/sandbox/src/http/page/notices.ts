import { randomBytes } from "node:crypto";
import type { Notice } from "../../page/frame/frame.ts";

/** What acts have to say on the page after them. */
export interface PageNotices {
  /** Keeps a notice and answers the token it is asked for with. A token in an address tells nothing of what it is for. */
  keep(notice: Notice): string;
  /** Gives a notice out, once. */
  take(token: string | undefined): Notice | undefined;
}

/** A page that is never asked for must not be remembered for ever. */
const keptAtMost = 100;

/** Creates an empty keeping of notices. */
export function createPageNotices(): PageNotices {
  const notices = new Map<string, Notice>();
  return {
    keep(notice) {
      const token = randomBytes(16).toString("base64url");
      notices.set(token, notice);
      const [oldest] = notices.keys();
      if (notices.size > keptAtMost && oldest !== undefined) notices.delete(oldest);
      return token;
    },
    take(token = "") {
      const notice = notices.get(token);
      notices.delete(token);
      return notice;
    },
  };
}
