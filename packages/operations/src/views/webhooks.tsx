import { doorcodeParts } from "@doorcode/core/adapter";
import type { Figures } from "../figures/figures.ts";
import { countOf, occurrenceOf, readFigures, sumOf, timeOf, valuesOf } from "../figures/read-figures.ts";
import { agoText, countText, durationText, instantText, none, nounText, wordsOf } from "../page/format.ts";
import { RunLines } from "../page/run-lines.tsx";
import type { PageContext, ShownView } from "../page-context.ts";
import { Card, Chart, Facts, Field, type Html, nothing, PostButton, Select, Table } from "../page-parts.ts";
import { failureCards } from "./failure-cards.tsx";

/** Shows whether webhooks arrive and are handled. */
export async function webhooksView(context: PageContext): Promise<ShownView> {
  const { doorcode, period, now } = context;
  const { webhooks, service } = doorcode[doorcodeParts];
  const { slots, total } = await readFigures(doorcode, period);
  const title = "Webhooks";
  const lead = "Does the service's news arrive, which of it failed and why, and was it handled since?";
  if (!webhooks) {
    const empty = "This app receives no webhooks: createDoorcode was called without webhooks.";
    return { title, lead, period, children: <Card id="none" title="No webhooks" empty={empty} /> };
  }
  const counts = webhooks.inbox && (await doorcode.deadLetters.counts());
  const letters = webhooks.inbox ? await doorcode.deadLetters.find([...total.webhooks.keys()]) : [];
  const children = (
    <>
      <Card id="health" title="Health">
        <Facts facts={healthFacts(total, counts, now)} />
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
          labels={slots.map(({ label }) => label)}
          series={[
            { name: "Handled", values: slots.map(({ figures }) => countOf(figures, "handled")) },
            {
              name: "Failed",
              tone: "bad",
              values: slots.map(({ figures }) => sumOf(figures, "webhook_failed", "error")),
            },
          ]}
        />
      </Card>
      {failureCards(context, total, letters)}
      {refusalsCard(total, now)}
      {service ? reconcileCard(context) : nothing}
    </>
  );
  return { title, lead, period, children };
}

function healthFacts(
  total: Figures,
  counts: { readonly open: number; readonly dead: number } | undefined,
  now: number,
): readonly (readonly [string, string | Html])[] {
  const delivery = occurrenceOf(total, "delivery");
  const reconciled = occurrenceOf(total, "lost");
  return [
    [
      "Last delivery",
      delivery === undefined
        ? "none in this period"
        : `${agoText(delivery.last, now)}, at ${instantText(delivery.last, now)}`,
    ],
    ["Handled", countText(countOf(total, "handled"))],
    ["Failed attempts", failuresText(total, now)],
    ["Refused", countText(sumOf(total, "webhook_refused", "reason"))],
    [
      "From the service to the end of the handler",
      `${durationText(timeOf(total, "lag", 0.5))}, 95 of 100 within ${durationText(timeOf(total, "lag", 0.95))}`,
    ],
    [
      "In the inbox",
      counts
        ? `${countText(counts.open)} waiting, ${nounText(counts.dead, "dead letter")}`
        : "no inbox: handlers run before the answer",
    ],
    [
      "Lost and reconciled",
      reconciled === undefined
        ? none
        : `${countText(reconciled.count)}, last asked ${instantText(reconciled.last, now)}`,
    ],
  ];
}

function failuresText(total: Figures, now: number): string {
  const failures = valuesOf(total, "webhook_failed", "error");
  if (failures.length === 0) return "0";
  const [first, last] = [
    Math.min(...failures.map((each) => each.first)),
    Math.max(...failures.map((each) => each.last)),
  ];
  const count = countText(sumOf(total, "webhook_failed", "error"));
  const handled = occurrenceOf(total, "handled")?.last ?? 0;
  const since = handled > last ? `; one was handled ${agoText(handled, now)}` : "; none was handled since";
  return `${count}, from ${instantText(first, now)}, the last ${agoText(last, now)}${since}`;
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

function refusalsCard(total: Figures, now: number): Html {
  const refused = valuesOf(total, "webhook_refused", "reason");
  if (refused.length === 0) return nothing;
  return (
    <Card
      id="refused"
      title="Refused deliveries"
      lead="The service delivers again for 72 minutes. A stranger's forged delivery is refused, too."
    >
      <Table
        label="Refused deliveries"
        columns={["Reason", "#Count", "When (UTC), newest first", "What it means"]}
        rows={refused.map(({ value, ...times }) => [
          wordsOf(value),
          countText(times.count),
          <RunLines of={times} now={now} />,
          reasons[value] ?? "",
        ])}
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
