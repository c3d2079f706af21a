import { EmptyNote, type Html, nothing, PostButton, Select } from "@doorcode/operations/page-parts";
import { isReplayable } from "../../sandbox/deliveries.ts";
import { eventNames } from "../../state/application.ts";
import { type Delivery, stageOf } from "../../state/delivery.ts";
import { FilterForm } from "../components/controls.tsx";
import { Phone } from "../components/digits.tsx";
import { matchesSearch, OlderLink, pageOf } from "../components/list.tsx";
import { applicationPath, withQuery } from "../components/paths.ts";
import { deliveryTexts, EndpointHealth, Instant } from "../components/status.tsx";
import { goneView, type PageRequest, type PageSection, type PageView } from "../request/page-request.tsx";
import { deliveryDetails, failureCause, nextAttempt, outcome, sendChanged } from "./delivery.tsx";

/** The pages of an application's webhook deliveries: the list, and one page for each. */
export const webhooksSection: PageSection = {
  name: "webhooks",
  views: { "/webhooks": listView, "/webhooks/:delivery": deliveryView },
  forms: {
    "/deliveries/:delivery/send": ({ sandbox, param }) => sandbox.deliveries.sendAgain(param("delivery")),
    "/deliveries/:delivery/send_changed": sendChanged,
    "/deliveries/replay": (request) => {
      const count = countReplayable(request);
      // Not awaited: each attempt may take five seconds, and the page shows the results as they come.
      void request.sandbox.deliveries.replayFailed().catch(() => undefined);
      request.answer({ notice: { kind: "done", text: `Sending ${count} deliveries again.` } });
    },
  },
};

function deliveryView(request: PageRequest): PageView {
  const { deps, application, param } = request;
  const delivery = deps.state.deliveries.get(param("delivery"));
  if (delivery?.applicationId !== application.id) return goneView("delivery");
  return { title: delivery.eventStatus, children: deliveryDetails(delivery, request) };
}

/** The filters of the list, as the query has them. */
interface Filters {
  readonly q: string;
  readonly endpoint: string;
  readonly event: string;
  readonly status: string;
}

/** Shows the endpoints, and the deliveries by event, the newest first. */
function listView(request: PageRequest): PageView {
  const { deps, application, query, search: q } = request;
  const { endpoint = "", event = "", status = "" } = query;
  const filters: Filters = { q, endpoint, event, status };
  const path = applicationPath(application.id, "webhooks");
  const all = deps.state.deliveries.list(application.id);
  const matching = all.filter((delivery) => matches(delivery, filters)).reverse();
  const events = [...Map.groupBy(matching, ({ eventId }) => eventId).values()];
  const { items, older } = pageOf(events, query.before, ([delivery]) => delivery?.eventId ?? "");
  const children = (
    <>
      <div class="view-head">
        <h1>Webhooks</h1>
        <span class="soft">{all.length.toLocaleString("en")}</span>
        <span class="push" />
        <ReplayButton {...request} />
      </div>
      <Endpoints {...request} />
      {all.length > 0 && filterForm(path, filters, all)}
      <ul class="records">{items.map((deliveries) => eventItem(deliveries, request))}</ul>
      {items.length === 0 && <EmptyNote>{all.length === 0 ? "No events yet." : "Nothing matches."}</EmptyNote>}
      <OlderLink href={older && withQuery(path, { ...filters, before: older })} items="events" />
    </>
  );
  return { title: "Webhooks", children };
}

function filterForm(path: string, { q, endpoint, event, status }: Filters, all: readonly Delivery[]): Html {
  const urls = Object.fromEntries([...new Set(all.map(({ url }) => url))].map((url) => [url, url]));
  const events = Object.fromEntries(eventNames.map((name) => [name, name]));
  return (
    <FilterForm action={path} search={q} label="Number or status">
      <Select name="endpoint" label="Endpoint" choices={{ "": "All endpoints", ...urls }} chosen={endpoint} />
      <Select name="event" label="Event" choices={{ "": "All events", ...events }} chosen={event} />
      <Select name="status" label="Status" choices={{ "": "All statuses", ...deliveryTexts }} chosen={status} />
    </FilterForm>
  );
}

function matches(delivery: Delivery, { q, endpoint, event, status }: Filters): boolean {
  if (endpoint !== "" && delivery.url !== endpoint) return false;
  if (event !== "" && delivery.event !== event) return false;
  if (status !== "" && stageOf(delivery) !== status) return false;
  return matchesSearch(q, [delivery.recipient, delivery.eventStatus, delivery.url]);
}

function countReplayable({ deps, application }: PageRequest): number {
  return deps.state.deliveries.list(application.id).filter(isReplayable).length;
}

function ReplayButton(request: PageRequest): Html {
  const count = countReplayable(request);
  if (count === 0) return nothing;
  const action = applicationPath(request.application.id, "deliveries", "replay");
  return <PostButton action={action} label={`Replay ${count.toLocaleString("en")} unacknowledged`} icon="again" />;
}

/** Shows an event, and its delivery to each endpoint. */
function eventItem(deliveries: readonly Delivery[], { now }: PageRequest): Html {
  const [newest] = deliveries;
  if (!newest) return nothing;
  const { eventId, eventStatus, recipient, event, createdAt } = newest;
  return (
    <li id={eventId} class="event">
      <p class="line">
        <strong>{eventStatus}</strong>
        <Phone number={recipient} />
        <code class="soft">{event}</code>
        <span class="push" />
        <Instant at={createdAt} now={now} />
      </p>
      <ul>{deliveries.toReversed().map((delivery) => deliveryItem(delivery, now))}</ul>
    </li>
  );
}

function deliveryItem(delivery: Delivery, now: number): Html {
  const { id, applicationId, eventStatus, url, attempts, status } = delivery;
  return (
    <li id={`row-${id}`} class={`record ${status}`}>
      <a href={applicationPath(applicationId, "webhooks", id)} id={`link-${id}`} data-row>
        <span class="line">
          {outcome(delivery)}
          <code class="url">{url}</code>
          <span class="soft">{attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`}</span>
          {nextAttempt(delivery, now)}
        </span>
        {failureCause(delivery)}
      </a>
      <PostButton
        action={applicationPath(applicationId, "deliveries", id, "send")}
        label={`Replay “${eventStatus}” to ${url}`}
        icon="again"
        bare
      />
    </li>
  );
}

function Endpoints({ application: { id, endpoints }, now }: PageRequest): Html {
  if (endpoints.length === 0) {
    return (
      <p class="hint-box">
        No endpoint is registered, so only requests with a <code>callback_url</code> get webhooks.{" "}
        <a href={applicationPath(id, "portal", "endpoints")}>Register an endpoint</a>
      </p>
    );
  }
  return (
    <ul class="health">
      {endpoints.map((endpoint) => (
        <li id={`health-${endpoint.id}`}>
          <EndpointHealth endpoint={endpoint} path={applicationPath(id, "endpoints", endpoint.id)} now={now} />
        </li>
      ))}
    </ul>
  );
}
