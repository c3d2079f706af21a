import type { Application, WebhookEndpoint } from "../../state/application.ts";
import { type Delivery, lastUnchangedAttempt } from "../../state/delivery.ts";
import type { State } from "../../state/state.ts";
import { FilterForm, PostButton, Select } from "../components/controls.tsx";
import { EmptyNote, type Html, nothing, OlderLink } from "../components/elements.tsx";
import { applicationPath, type Page, pageOf, withQuery } from "../components/paths.ts";
import { Countdown, deliveryStatusText, FailingSince, HealthStatus, Instant, Status } from "../components/status.tsx";
import { attemptText } from "./attempts.tsx";

const maxDeliveries = 50;

/** The query of the list of deliveries, from its URL. */
interface DeliveryQuery {
  readonly search: string;
  readonly status: string;
  readonly before: string | undefined;
}

/** The content of the list of deliveries. */
interface DeliveriesResult {
  readonly applicationId: string;
  readonly query: DeliveryQuery;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly total: number;
  readonly failed: number;
  /** The matching deliveries, the newest first. */
  readonly page: Page<Delivery>;
}

/** Selects deliveries of an application, the newest first. */
export function queryDeliveries(
  state: Pick<State, "deliveries">,
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
export function countFailed({ deliveries }: Pick<State, "deliveries">, applicationId: string): number {
  return deliveries.list(applicationId).filter(({ status }) => status === "failed").length;
}

function matches({ recipient, eventStatus, url, event, status }: Delivery, query: DeliveryQuery): boolean {
  if (query.status !== "" && status !== query.status) return false;
  const wanted = query.search.toLowerCase();
  return [recipient, eventStatus, url, event].some((text) => text.toLowerCase().includes(wanted));
}

interface DeliveryListProps {
  readonly result: DeliveriesResult;
  readonly now: number;
}

const statusChoices = [
  { value: "", label: "All outcomes" },
  ...["pending", "delivered", "failed"].map((value) => ({ value, label: deliveryStatusText(value) })),
];

/** Shows the endpoints, and the deliveries, the newest first. */
export function DeliveryList({ result, now }: DeliveryListProps): Html {
  const { applicationId, query, endpoints, total, page } = result;
  const path = applicationPath(applicationId, "webhooks");
  const { search, status } = query;
  return (
    <>
      <div class="view-head">
        <h1>Webhooks</h1>
        <span class="soft">{total.toLocaleString("en")}</span>
        <span class="push" />
        <ReplayButton result={result} />
        <FilterForm action={path} search={search} label="Number, status or URL">
          <Select name="status" label="Outcome" choices={statusChoices} chosen={status} />
        </FilterForm>
      </div>
      <EndpointHealth applicationId={applicationId} endpoints={endpoints} now={now} />
      <ul class="records">
        {page.items.map((delivery) => (
          <Row delivery={delivery} now={now} />
        ))}
      </ul>
      {page.items.length === 0 && <EmptyNote>{total === 0 ? "No events yet." : "Nothing matches."}</EmptyNote>}
      <OlderLink href={page.older && withQuery(path, { q: search, status, before: page.older })} items="deliveries" />
    </>
  );
}

function ReplayButton({ result: { applicationId, failed } }: Pick<DeliveryListProps, "result">): Html {
  if (failed === 0) return nothing;
  return (
    <PostButton
      action={applicationPath(applicationId, "deliveries", "replay")}
      label={`Replay ${failed.toLocaleString("en")} failed`}
      icon="again"
      look="plain"
    />
  );
}

function Row({ delivery, now }: { readonly delivery: Delivery; readonly now: number }): Html {
  const { id, applicationId, event, eventStatus, recipient, url, attempts, status, createdAt } = delivery;
  return (
    <li id={`row-${id}`} class={`record ${status}`}>
      <a href={applicationPath(applicationId, "webhooks", id)} id={`link-${id}`} data-row>
        <span class="line">
          <Outcome delivery={delivery} />
          <strong>{eventStatus}</strong>
          <span class="number">{recipient}</span>
          <span class="push" />
          <NextAttempt delivery={delivery} now={now} />
          <Instant at={createdAt} now={now} />
        </span>
        <span class="line">
          <code class="soft">{event}</code>
          <code class="url">{url}</code>
          <span class="soft">{attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`}</span>
        </span>
        <FailureCause delivery={delivery} />
      </a>
      <PostButton
        action={`${applicationPath(applicationId, "deliveries", id)}/send`}
        label={`Send “${eventStatus}” again`}
        icon="again"
        bare
      />
    </li>
  );
}

interface EndpointHealthProps {
  readonly applicationId: string;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly now: number;
}

/** Shows the health of each endpoint. */
function EndpointHealth({ applicationId, endpoints, now }: EndpointHealthProps): Html {
  if (endpoints.length === 0) {
    return (
      <p class="hint-box">
        No endpoint is registered, so only requests with a <code>callback_url</code> get webhooks.{" "}
        <a href={applicationPath(applicationId, "portal", "endpoints")}>Register an endpoint</a>
      </p>
    );
  }
  return (
    <ul class="health">
      {endpoints.map((endpoint) => (
        <li id={`health-${endpoint.id}`}>
          <HealthStatus endpoint={endpoint} />
          <code class="url">{endpoint.url}</code>
          <FailingSince endpoint={endpoint} now={now} />
          {endpoint.status === "disabled" && (
            <PostButton action={`${applicationPath(applicationId, "endpoints", endpoint.id)}/enable`} label="Enable" />
          )}
        </li>
      ))}
    </ul>
  );
}

/** Shows the status of a delivery. */
export function Outcome({ delivery }: { readonly delivery: Delivery }): Html {
  const { status, attempts, nextAttemptAt } = delivery;
  if (status === "delivered") return <Status tone="good">{deliveryStatusText(status)}</Status>;
  if (status === "failed") return <Status tone="bad">{deliveryStatusText(status)}</Status>;
  if (nextAttemptAt === undefined || attempts.length === 0) return <Status tone="busy">Sending</Status>;
  return <Status tone="warn">Retrying</Status>;
}

/** Shows the result of the last attempt, unless the delivery was acknowledged. */
export function FailureCause({ delivery }: { readonly delivery: Delivery }): Html {
  const last = lastUnchangedAttempt(delivery);
  if (!last || delivery.status === "delivered") return nothing;
  return <span class="cause">{attemptText(last, delivery.url)}</span>;
}

/** Shows the time until the next attempt. */
export function NextAttempt({ delivery, now }: { readonly delivery: Delivery; readonly now: number }): Html {
  const { nextAttemptAt, attempts } = delivery;
  if (nextAttemptAt === undefined || attempts.length === 0) return nothing;
  return (
    <span class="soft">
      next attempt <Countdown until={nextAttemptAt} now={now} />
    </span>
  );
}
