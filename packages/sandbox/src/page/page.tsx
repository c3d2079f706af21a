import { EmptyNote } from "@doorcode/operations/page-parts";
import { type Context, Hono } from "hono";
import { refuse } from "../http/refuse.ts";
import { Refusal, SandboxError } from "../primitives/errors.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";
import { findAsset } from "./assets.ts";
import { clockSection } from "./clock/clock.tsx";
import { withQuery } from "./components/paths.ts";
import { inboxSection, inboxView } from "./inbox/inbox.tsx";
import { assetsPath } from "./layout/document.tsx";
import { limitsSection } from "./limits/limits.tsx";
import { accountForms } from "./portal/applications.tsx";
import { portalSection } from "./portal/portal.tsx";
import { createNotices, createSectionRoutes, type Notices, renderPage } from "./request/page-request.tsx";
import { requestsSection } from "./requests/requests.tsx";
import { verificationsSection } from "./verifications/verifications.tsx";
import { webhooksSection } from "./webhooks/deliveries.tsx";

const sections = [
  inboxSection,
  verificationsSection,
  webhooksSection,
  requestsSection,
  portalSection,
  clockSection,
  limitsSection,
] as const;

/**
 * Creates the page: inbox, verifications, webhooks, requests, portal, clock and faults, and limits of each application. Each view has a URL,
 * and each action is a form whose answer redirects to a view, so the page also works without scripts.
 */
export function createPage(deps: SandboxDeps): Hono {
  const notices = createNotices();
  const context = { deps, notices };
  const page = new Hono()
    .onError((error, c) => redirectHome(error, c, notices))
    .get(`${assetsPath}/:name`, (c) => {
      const asset = findAsset(c.req.param("name"));
      if (!asset) throw new Refusal("request.not_found", "There is nothing here.");
      return c.body(asset.body, 200, { "content-type": `${asset.type}; charset=utf-8` });
    });
  // The first page is the inbox of the default application.
  const home = { name: "inbox", views: { "/": inboxView }, forms: accountForms } as const;
  page.route("/", createSectionRoutes(context, home));
  for (const section of sections) page.route("/applications/:application", createSectionRoutes(context, section));
  return page;
}

/** Redirects a view of a removed application to the default application. Every other error is answered as it is. */
function redirectHome(error: unknown, c: Context, notices: Notices): Response {
  const isGone = error instanceof SandboxError && error.code === "application_unknown";
  if (!isGone || c.req.method !== "GET") return refuse(error, c);
  const flash = notices.keep({ kind: "problem", text: "This application no longer exists." });
  return c.redirect(withQuery("/", { flash }), 303);
}

/** Answers a page for an address at which there is nothing. Its navigation leads back. */
export function renderNotFound(c: Context, deps: SandboxDeps): Response | Promise<Response> {
  const children = (
    <>
      <div class="view-head">
        <h1>There is nothing here</h1>
      </div>
      <EmptyNote>
        <code>{new URL(c.req.url).pathname}</code> is no page of the sandbox. <a href="/">Back to the inbox</a>
      </EmptyNote>
    </>
  );
  return renderPage(c, { deps, notices: createNotices() }, "nowhere", () => ({
    title: "Nothing here",
    children,
    status: 404,
  }));
}
