import { Hono } from "hono";
import { applicationOf } from "../../http/read-request.ts";
import { replayFailed, sendAgain } from "../../sandbox/deliveries.ts";
import type { Application, WebhookEndpoint } from "../../state/application.ts";
import type { Delivery } from "../../state/delivery.ts";
import type { Firing } from "../../state/fault.ts";
import type { State } from "../../state/state.ts";
import { EmptyNote } from "../components/elements.tsx";
import { type Page, pageOf } from "../components/paths.ts";
import { createFormRoutes, type FormHandlers, ofApplication } from "../request/form-handler.ts";
import { type PageContext, renderPage } from "../request/render-page.tsx";
import { changesForms, DeliveryDetails } from "./delivery-details.tsx";
import { DeliveryList } from "./delivery-list.tsx";

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

const maxDeliveries = 50;

/** The query of the list of deliveries, from its URL. */
interface DeliveryQuery {
  readonly search: string;
  readonly status: string;
  readonly before: string | undefined;
}

/** The content of the list of deliveries. */
export interface DeliveriesResult {
  readonly applicationId: string;
  readonly query: DeliveryQuery;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly total: number;
  readonly failed: number;
  /** The matching deliveries, the newest first. */
  readonly page: Page<Delivery>;
}

/** The records that the pages of deliveries read. */
type DeliverySource = Pick<State, "deliveries" | "firings">;

/** Selects deliveries of an application, the newest first. */
function queryDeliveries(
  state: DeliverySource,
  { id, endpoints }: Application,
  query: DeliveryQuery,
): DeliveriesResult {
  const matching = state.deliveries
    .list(id)
    .filter((delivery) => matches(delivery, query))
    .reverse();
  return {
    applicationId: id,
    query,
    endpoints,
    total: state.deliveries.count(id),
    failed: countFailed(state, id),
    page: pageOf(matching, (delivery) => delivery.id, maxDeliveries, query.before),
  };
}

/** Counts the failed deliveries of an application. */
function countFailed({ deliveries }: DeliverySource, applicationId: string): number {
  return deliveries.list(applicationId).filter(({ status }) => status === "failed").length;
}

function matches({ recipient, eventStatus, url, event, status }: Delivery, query: DeliveryQuery): boolean {
  if (query.status !== "" && status !== query.status) return false;
  const wanted = query.search.toLowerCase();
  return [recipient, eventStatus, url, event].some((text) => text.toLowerCase().includes(wanted));
}

/** A delivery and its related records. */
export interface DeliveryResult {
  readonly delivery: Delivery;
  /** The firings of faults on it, the newest first. */
  readonly firings: readonly Firing[];
  readonly maxAttempts: number;
}

/** Finds a delivery of an application and its related records; undefined when there is none with this id. */
function findDelivery(state: DeliverySource, application: Application, id: string): DeliveryResult | undefined {
  const delivery = state.deliveries.get(id);
  if (delivery?.applicationId !== application.id) return undefined;
  return {
    delivery,
    firings: state.firings
      .list(application.id)
      .filter(({ deliveryId }) => deliveryId === id)
      .reverse(),
    maxAttempts: application.settings.webhookRetryDelaysSeconds.length + 1,
  };
}
