import { Card, type Html } from "@doorcode/operations/page-parts";
import type { Counts } from "../../sandbox/usage.ts";
import { channelName, deliveryTexts, statusText } from "../components/status.tsx";
import type { PageRequest } from "../request/page-request.tsx";

/** Shows the usage of an application. */
export function UsageCard({ sandbox }: PageRequest): Html {
  const { messages, verifications, channelAttempts, deliveries } = sandbox.usage();
  const deliveryNames: Readonly<Record<string, string>> = deliveryTexts;
  return (
    <Card id="usage" title="Usage" lead="Of this application, since its last reset.">
      <div class="figures">
        {figure("messages", messages.total, [
          countText(messages.segments, "segments"),
          ...countTexts(messages.byStatus, statusText),
        ])}
        {figure("verifications", verifications.total, countTexts(verifications.byStatus, statusText))}
        {figure("channel attempts", channelAttempts.total, countTexts(channelAttempts.byChannel, channelName))}
        {figure("webhook deliveries", deliveries.total, [
          countText(deliveries.attempts, "attempts"),
          ...countTexts(deliveries.byStatus, (status) => deliveryNames[status] ?? status),
        ])}
      </div>
    </Card>
  );
}

function figure(label: string, total: number, details: readonly string[]): Html {
  return (
    <section class="figure" aria-label={label}>
      <strong>{total.toLocaleString("en")}</strong> {label}
      <ul>
        {details.map((detail) => (
          <li>{detail}</li>
        ))}
      </ul>
    </section>
  );
}

function countTexts(counts: Counts, nameOf: (name: string) => string): readonly string[] {
  return Object.entries(counts).map(([name, count]) => countText(count, nameOf(name).toLowerCase()));
}

function countText(count: number, name: string): string {
  return `${count.toLocaleString("en")} ${name}`;
}
