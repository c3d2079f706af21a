import type { Delivery } from "../../state/delivery.ts";
import { address, withQuery } from "../address.ts";
import { Empty, Older } from "../controls/card.tsx";
import { FilterForm } from "../controls/filter-form.tsx";
import { PostButton, Select } from "../controls/form.tsx";
import { type Html, nothing } from "../html.ts";
import { Instant } from "../instant.tsx";
import { EndpointHealth } from "./endpoint-list.tsx";
import { FailureCause, NextAttempt, Outcome } from "./outcome.tsx";
import type { WebhooksView } from "./webhooks-view.ts";

/** What {@link DeliveryList} shows. */
export interface DeliveryListProps {
  readonly view: WebhooksView;
  readonly now: number;
}

const outcomes = [
  { value: "", label: "All outcomes" },
  { value: "pending", label: "Under way" },
  { value: "delivered", label: "Acknowledged" },
  { value: "failed", label: "Given up" },
];

/** The endpoints, and the deliveries, the newest first. */
export function DeliveryList({ view, now }: DeliveryListProps): Html {
  const { applicationId, filter, endpoints, total, page } = view;
  const here = address(applicationId, "webhooks");
  const { search, status } = filter;
  return (
    <>
      <div class="view-head">
        <h1>Webhooks</h1>
        <span class="soft">{total.toLocaleString("en")}</span>
        <span class="push" />
        <ReplayButton view={view} />
        <FilterForm action={here} search={search} label="Number, status or URL">
          <Select name="status" label="Outcome" choices={outcomes} chosen={status} />
        </FilterForm>
      </div>
      <EndpointHealth applicationId={applicationId} endpoints={endpoints} now={now} />
      <ul class="records">
        {page.items.map((delivery) => (
          <Row delivery={delivery} now={now} />
        ))}
      </ul>
      {page.items.length === 0 && <Empty>{total === 0 ? "No event was sent yet." : "Nothing matches."}</Empty>}
      <Older href={page.older && withQuery(here, { q: search, status, before: page.older })} what="deliveries" />
    </>
  );
}

function ReplayButton({ view: { applicationId, failed } }: { readonly view: WebhooksView }): Html {
  if (failed === 0) return nothing;
  return (
    <PostButton
      action={address(applicationId, "deliveries", "replay")}
      label={`Replay ${failed.toLocaleString("en")} failed`}
      icon="again"
      look="plain"
    />
  );
}

function Row({ delivery, now }: { readonly delivery: Delivery; readonly now: number }): Html {
  const { id, applicationId, event, told, recipient, url, attempts, status, createdAt } = delivery;
  return (
    <li id={`row-${id}`} class={`record ${status}`}>
      <a href={address(applicationId, "webhooks", id)} id={`link-${id}`} data-row>
        <span class="line">
          <Outcome delivery={delivery} />
          <strong>{told}</strong>
          <span class="number">{recipient}</span>
          <span class="push" />
          <NextAttempt delivery={delivery} now={now} />
          <Instant at={createdAt} now={now} />
        </span>
        <span class="line">
          <code class="soft">{event}</code>
          <code class="url">{url}</code>
          <span class="soft">{attemptCount(attempts.length)}</span>
        </span>
        <FailureCause delivery={delivery} />
      </a>
      <PostButton
        action={`${address(applicationId, "deliveries", id)}/send`}
        label={`Send “${told}” again`}
        icon="again"
        bare
      />
    </li>
  );
}

function attemptCount(count: number): string {
  return count === 1 ? "1 attempt" : `${count} attempts`;
}
