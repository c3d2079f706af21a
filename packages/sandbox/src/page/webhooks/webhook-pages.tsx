import { Hono } from "hono";
import { applicationOf } from "../../http/read-request.ts";
import { replayFailed, sendAgain } from "../../sandbox/deliveries.ts";
import { EmptyNote } from "../components/elements.tsx";
import { createFormRoutes, type FormHandlers, ofApplication } from "../request/form-handler.ts";
import { type PageContext, renderPage } from "../request/render-page.tsx";
import { changesForms, DeliveryDetails, findDelivery } from "./delivery-details.tsx";
import { countFailed, DeliveryList, queryDeliveries } from "./delivery-list.tsx";

/** Creates the pages of an application's webhook deliveries, with their forms: the list, and one page for each. */
export function createWebhookPages(context: PageContext): Hono {
  const { state, scheduler } = context.deps;
  const section = "webhooks";
  return new Hono()
    .get(`${ofApplication}/webhooks`, (c) => {
      const application = applicationOf(context.deps, c);
      const { q = "", status = "", before } = c.req.query();
      const result = queryDeliveries(state, application, { search: q.trim(), status, before });
      const children = <DeliveryList result={result} now={scheduler.now(application.id)} />;
      return renderPage(c, context, { applicationId: application.id, section, title: "Webhooks", children });
    })
    .get(`${ofApplication}/webhooks/:delivery`, (c) => {
      const application = applicationOf(context.deps, c);
      const applicationId = application.id;
      const found = findDelivery(state, application, c.req.param("delivery"));
      if (!found) {
        const children = <EmptyNote>This delivery no longer exists.</EmptyNote>;
        return renderPage(c, context, { applicationId, section, title: "Not found", children, status: 404 });
      }
      const children = <DeliveryDetails result={found} now={scheduler.now(applicationId)} />;
      return renderPage(c, context, { applicationId, section, title: found.delivery.eventStatus, children });
    })
    .route("/", createFormRoutes(context, deliveryForms))
    .route("/", createFormRoutes(context, changesForms));
}

const deliveryForms: FormHandlers = {
  returning: {
    [`${ofApplication}/deliveries/:delivery/send`]: ({ deps, application, param }) =>
      sendAgain(deps, application.id, param("delivery")),
  },
  redirecting: {
    [`${ofApplication}/deliveries/replay`]: ({ deps, application }) => {
      const failed = countFailed(deps.state, application.id);
      // Not awaited: each attempt may take five seconds, and the page shows the results as they come.
      void replayFailed(deps, application.id).catch(() => undefined);
      return { notice: { kind: "done", text: `Sending ${failed} failed deliveries again.` } };
    },
  },
};
