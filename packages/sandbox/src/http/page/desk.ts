import type { Context } from "hono";
import type { SandboxApplication } from "../../controls/application.ts";
import { createThreadIndex, type ThreadIndex } from "../../page/inbox/thread-index.ts";
import { findApplication } from "../../portal/applications.ts";
import type { AppParts } from "../app-parts.ts";
import { createPageNotices, type PageNotices } from "./notices.ts";

/** What the views and the acts of the page stand on. */
export interface PageDesk {
  readonly parts: AppParts;
  readonly index: ThreadIndex;
  readonly notices: PageNotices;
  /** Opens the application that the address names. @throws SandboxError `application_unknown` */
  find(c: Context): SandboxApplication;
}

/** Prepares what all parts of the page share. */
export function createPageDesk(parts: AppParts): PageDesk {
  const { service, open } = parts;
  return {
    parts,
    index: createThreadIndex(service.state.messages),
    notices: createPageNotices(),
    find: (c) => open(findApplication(service, c.req.param("application") ?? "").id),
  };
}
