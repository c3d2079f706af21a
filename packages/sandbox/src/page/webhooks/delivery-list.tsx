import type { Delivery } from "../../state/delivery.ts";
import { EmptyNote } from "../components/card.tsx";
import { FilterForm } from "../components/filter-form.tsx";
import { PostButton, Select } from "../components/form-fields.tsx";
import { type Html, nothing } from "../components/html.ts";
import { Instant } from "../components/instant.tsx";
import { OlderLink } from "../components/navigation.tsx";
import { applicationPath, withQuery } from "../components/paths.ts";
import { deliveryStatusText } from "../components/status.tsx";
import type { DeliveriesResult } from "./delivery-query.ts";
import { FailureCause, NextAttempt, Outcome } from "./delivery-status.tsx";
import { EndpointHealth } from "./endpoint-health-list.tsx";

/** The properties of {@link DeliveryList}. */
export interface DeliveryListProps {
  /** The deliveries to show. */
  readonly result: DeliveriesResult;
  /** Now, in Unix milliseconds on the application's clock. */
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
