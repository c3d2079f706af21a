import { Hono } from "hono";
import { applicationOf } from "../../http/request-params.ts";
import { EmptyNote } from "../components/card.tsx";
import { ofApplication } from "../request/form-handler.ts";
import type { PageContext } from "../request/page-context.ts";
import { renderPage } from "../request/render-page.tsx";
import { VerificationDetails } from "./verification-details.tsx";
import { VerificationList } from "./verification-list.tsx";
import { findVerification, queryVerifications } from "./verification-query.ts";

/** Creates the pages of an application's verifications: the list, and one page for each. */
export function createVerificationPages(context: PageContext): Hono {
  const { state, scheduler } = context.deps;
  const section = "verifications";
  return new Hono()
    .get(`${ofApplication}/verifications`, (c) => {
      const { id: applicationId, settings } = applicationOf(context.deps, c);
      const { q = "", before } = c.req.query();
      const result = queryVerifications(state, applicationId, { search: q.trim(), before });
      const now = scheduler.now(applicationId);
      const children = <VerificationList result={result} now={now} maxAttempts={settings.maxConfirmationAttempts} />;
      return renderPage(c, context, { applicationId, section, title: "Verifications", children });
    })
    .get(`${ofApplication}/verifications/:verification`, (c) => {
      const { id: applicationId, settings } = applicationOf(context.deps, c);
      const found = findVerification(state, applicationId, c.req.param("verification"));
      if (!found) {
        const children = <EmptyNote>This verification no longer exists.</EmptyNote>;
        return renderPage(c, context, { applicationId, section, title: "Not found", children, status: 404 });
      }
      const now = scheduler.now(applicationId);
      const children = <VerificationDetails result={found} now={now} maxAttempts={settings.maxConfirmationAttempts} />;
      return renderPage(c, context, { applicationId, section, title: found.verification.recipient, children });
    });
}
