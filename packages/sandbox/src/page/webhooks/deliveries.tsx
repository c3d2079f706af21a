import type { Delivery } from "../../state/delivery.ts";
import { FilterForm, PostButton, Select } from "../components/controls.tsx";
import { EmptyNote, type Html, nothing, OlderLink } from "../components/elements.tsx";
import { applicationPath, pageOf, withQuery } from "../components/paths.ts";
import { deliveryTexts, EndpointHealth, Instant } from "../components/status.tsx";
import type { PageRequest, PageSection, PageView } from "../request/page-request.tsx";
import { deliveryDetails, failureCause, nextAttempt, outcome, sendChanged } from "./delivery.tsx";

/** The pages of an application's webhook deliveries: the list, and one page for each. */
export const webhooksSection: PageSection = {
  name: "webhooks",
  views: { "/webhooks": listView, "/webhooks/:delivery": deliveryView },
  forms: {
    "/deliveries/:delivery/send": ({ sandbox, param }) => sandbox.deliveries.sendAgain(param("delivery")),
    "/deliveries/:delivery/send_changed": sendChanged,
    "/deliveries/replay": (request) => {
      const failed = countFailed(request);
      // Not awaited: each attempt may take five seconds, and the page shows the results as they come.
      void request.sandbox.deliveries.replayFailed().catch(() => undefined);
      request.answer({ notice: { kind: "done", text: `Sending ${failed} failed deliveries again.` } });
    },
  },
};

function deliveryView(request: PageRequest): PageView {
  const { deps, application, param } = request;
  const delivery = deps.state.deliveries.get(param("delivery"));
  if (delivery?.applicationId !== application.id) {
    return { title: "Not found", children: <EmptyNote>This delivery no longer exists.</EmptyNote>, status: 404 };
  }
  return { title: delivery.eventStatus, children: deliveryDetails(delivery, request) };
}

function countFailed({ deps, application }: PageRequest): number {
  return deps.state.deliveries.list(application.id).filter(({ status }) => status === "failed").length;
}

const maxDeliveries = 50;

/** Shows the endpoints, and the deliveries, the newest first. */
function listView(request: PageRequest): PageView {
  const { deps, application, query, now } = request;
  const path = applicationPath(application.id, "webhooks");
  const search = (query.q ?? "").trim();
  const { status = "" } = query;
  const all = deps.state.deliveries.list(application.id);
  const matching = all.filter((delivery) => matches(delivery, search, status)).reverse();
  const { items, older } = pageOf(matching, ({ id }) => id, maxDeliveries, query.before);
  const children = (
    <>
      <div class="view-head">
        <h1>Webhooks</h1>
        <span class="soft">{all.length.toLocaleString("en")}</span>
        <span class="push" />
        <ReplayButton {...request} />
        <FilterForm action={path} search={search} label="Number, status or URL">
          <Select name="status" label="Outcome" choices={{ "": "All outcomes", ...deliveryTexts }} chosen={status} />
        </FilterForm>
      </div>
      <Endpoints {...request} />
      <ul class="records">{items.map((delivery) => row(delivery, now))}</ul>
      {items.length === 0 && <EmptyNote>{all.length === 0 ? "No events yet." : "Nothing matches."}</EmptyNote>}
      <OlderLink href={older && withQuery(path, { q: search, status, before: older })} items="deliveries" />
    </>
  );
  return { title: "Webhooks", children };
}

function matches(delivery: Delivery, search: string, status: string): boolean {
  if (status !== "" && delivery.status !== status) return false;
  const { recipient, eventStatus, url, event } = delivery;
  return [recipient, eventStatus, url, event].some((text) => text.toLowerCase().includes(search.toLowerCase()));
}

function ReplayButton(request: PageRequest): Html {
  const failed = countFailed(request);
  if (failed === 0) return nothing;
  const action = applicationPath(request.application.id, "deliveries", "replay");
  return (
    <PostButton action={action} label={`Replay ${failed.toLocaleString("en")} failed`} icon="again" look="plain" />
  );
}

function row(delivery: Delivery, now: number): Html {
  const { id, applicationId, event, eventStatus, recipient, url, attempts, status, createdAt } = delivery;
  return (
    <li id={`row-${id}`} class={`record ${status}`}>
      <a href={applicationPath(applicationId, "webhooks", id)} id={`link-${id}`} data-row>
        <span class="line">
          {outcome(delivery)}
          <strong>{eventStatus}</strong>
          <span class="number">{recipient}</span>
          <span class="push" />
          {nextAttempt(delivery, now)}
          <Instant at={createdAt} now={now} />
        </span>
        <span class="line">
          <code class="soft">{event}</code>
          <code class="url">{url}</code>
          <span class="soft">{attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`}</span>
        </span>
        {failureCause(delivery)}
      </a>
      <PostButton
        action={applicationPath(applicationId, "deliveries", id, "send")}
        label={`Send “${eventStatus}” again`}
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
