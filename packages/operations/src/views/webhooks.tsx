import { doorcodeParts } from "@doorcode/core/adapter";
import type { Figures } from "../figures/figures.ts";
import { countOf, timeOf, valuesOf } from "../figures/read-figures.ts";
import { Chart } from "../page/chart.tsx";
import { Card, EmptyNote, Facts, Field, type Html, nothing, PostButton, Select, Table } from "../page/elements.tsx";
import { countText, durationText, instantText, none, wordsOf } from "../page/format.ts";
import { Status } from "../page/icon.tsx";
import { slotLabel, ViewHead } from "../page/view-head.tsx";
import { figuresOf, type PageContext, type ShownView } from "../page-context.ts";
import { shortKey } from "./short-key.ts";

/** Shows whether webhooks arrive and are handled. */
export async function webhooksView(context: PageContext): Promise<ShownView> {
  const { doorcode, period, now } = context;
  const { webhooks, service } = doorcode[doorcodeParts];
  const { slots, total } = await figuresOf(context);
  const head = (
    <ViewHead
      context={{ ...context, filter: undefined }}
      view="webhooks"
      title="Webhooks"
      lead="Does the service's news arrive, which of it failed and why, and was it handled since?"
    />
  );
  if (!webhooks) {
    const none = <EmptyNote>This app receives no webhooks: createDoorcode was called without webhooks.</EmptyNote>;
    return {
      title: "Webhooks",
      children: [
        head,
        <Card id="none" title="No webhooks">
          {none}
        </Card>,
      ],
    };
  }
  const counts = webhooks.inbox && (await doorcode.deadLetters.counts());
  const delivery = total.newest.get("delivery");
  const reconciled = total.newest.get("reconciled");
  const facts: readonly (readonly [string, Html | string])[] = [
    [
      "Last delivery",
      delivery === undefined
        ? "none in this period"
        : `${durationText((now - delivery) / 1000)} ago, at ${instantText(delivery, now)}`,
    ],
    ["Handled", countText(countOf(total, "handled"))],
    ["Failed attempts", countText(sum(total, "webhook_failed", "error"))],
    ["Refused", countText(sum(total, "webhook_refused", "reason"))],
    [
      "From the service to the end of the handler",
      `${durationText(timeOf(total, "lag", 0.5))}, 95 of 100 within ${durationText(timeOf(total, "lag", 0.95))}`,
    ],
    [
      "In the inbox",
      counts
        ? `${countText(counts.open)} waiting, ${countText(counts.dead)} dead letters`
        : "no inbox: handlers run before the answer",
    ],
    [
      "Lost and reconciled",
      reconciled === undefined
        ? none
        : `${countText(countOf(total, "lost"))}, last asked ${instantText(reconciled, now)}`,
    ],
  ];
  const children = (
    <>
      {head}
      <Card id="health" title="Health">
        <Facts facts={facts} />
        <div class="row">
          {context.options.checkEndpoint && (
            <PostButton action={`${context.basePath}/webhooks/check`} label="Check the endpoint …" />
          )}
        </div>
      </Card>
      <Card id="deliveries" title={period === "today" ? "By hour" : "By day"}>
        <Chart
          id="deliveries"
          summary="Webhooks handled, and attempts that failed"
          labels={slots.map(({ start }) => slotLabel(period, start))}
          series={[
            { name: "Handled", values: slots.map(({ figures }) => countOf(figures, "handled")) },
            { name: "Failed", bad: true, values: slots.map(({ figures }) => sum(figures, "webhook_failed", "error")) },
          ]}
        />
      </Card>
      {failuresCard(context, total)}
      {refusalsCard(total)}
      {service ? reconcileCard(context) : nothing}
    </>
  );
  return { title: "Webhooks", children };
}

function sum(figures: Figures, metric: string, property: string): number {
  return valuesOf(figures, metric, property).reduce((total, { count }) => total + count, 0);
}

/** One row for each event: its last failure, and what became of it. */
function failuresCard({ now, basePath }: PageContext, { webhooks, actions }: Figures): Html {
  const failed = new Map<string, (typeof webhooks)[number]>();
  for (const entry of webhooks) if (entry.outcome === "failed" && !failed.has(entry.key)) failed.set(entry.key, entry);
  return (
    <Card id="failures" title="Which failed, and why" lead="The last failures of the period, one row for each event.">
      {failed.size === 0 ? (
        <EmptyNote>No handler failed.</EmptyNote>
      ) : (
        <Table
          label="Which failed, and why"
          columns={["Event", "Key", "Last failure", "Error", "Since then"]}
          rows={[...failed.values()].map(({ key, kind, at, error = "" }) => [
            kind,
            <a href={`${basePath}/dead-letters/letter?key=${key}`}>{shortKey(key)}</a>,
            instantText(at, now),
            error,
            becameOf(key, webhooks, actions, now),
          ])}
        />
      )}
    </Card>
  );
}

function becameOf(key: string, webhooks: Figures["webhooks"], actions: Figures["actions"], now: number): Html {
  const [newest] = webhooks.filter((entry) => entry.key === key);
  const replay = actions.find(
    ({ target, action, outcome }) => target === key && action === "replay" && outcome === "done",
  );
  const replayed = replay && `replayed by ${replay.operator} at ${instantText(replay.at, now)}`;
  if (newest?.outcome === "handled")
    return (
      <>
        <Status tone="good">Handled</Status> {replayed}
      </>
    );
  if (newest?.outcome === "overtaken") return <Status tone="good">Overtaken: a newer one was handled</Status>;
  if (replayed) return <>{replayed}</>;
  if (newest?.outcome === "dead_lettered") return <Status tone="bad">Dead letter</Status>;
  return <Status tone="quiet">To be retried</Status>;
}

const reasons: Readonly<Record<string, string>> = {
  header_missing: "No header of a signature: somebody else, or a proxy that drops it.",
  timestamp_malformed: "Not as the service signs: somebody else.",
  timestamp_outside_tolerance: "Signed too long ago: an old delivery, or a clock that is wrong.",
  signature_malformed: "Not as the service signs: somebody else.",
  signature_mismatch: "Signed with another secret, or changed on the way. While you change the secret, set both.",
  body_already_read: "A body parser of your app stands in front of webhooks(): mount it below.",
  not_json: "The signature was right, but the body is no event.",
  not_an_object: "The signature was right, but the body is no event.",
};

function refusalsCard(total: Figures): Html {
  const refused = [...valuesOf(total, "webhook_refused", "reason"), ...valuesOf(total, "webhook_failing", "reason")];
  if (refused.length === 0) return nothing;
  return (
    <Card
      id="refused"
      title="Refused deliveries"
      lead="The service delivers again for 72 minutes. A stranger's forged delivery is refused, too."
    >
      <Table
        label="Refused deliveries"
        columns={["Reason", "#Count", "What it means"]}
        rows={refused.map(({ value, count }) => [wordsOf(value), countText(count), reasons[value] ?? ""])}
      />
    </Card>
  );
}

/** The times since which an operator reconciles, by their seconds. */
export const sinceChoices: Readonly<Record<string, string>> = {
  3600: "1 hour ago",
  14400: "4 hours ago",
  86400: "1 day ago",
  259200: "3 days ago",
};

function reconcileCard({ basePath }: PageContext): Html {
  return (
    <Card
      id="reconcile"
      title="Reconcile"
      lead="After an outage of more than an hour: asks the service for the changes whose webhooks were lost. What was handled is not handled again."
    >
      <form method="post" action={`${basePath}/webhooks/reconcile`} class="fields">
        <Field label="Since">
          <Select name="seconds" choices={sinceChoices} />
        </Field>
        <p class="actions">
          <button type="submit">Reconcile …</button>
        </p>
      </form>
    </Card>
  );
}
