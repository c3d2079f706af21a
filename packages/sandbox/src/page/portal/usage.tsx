import { type Counts, usageOf } from "../../sandbox/usage.ts";
import { Card, type Html } from "../components/elements.tsx";
import { channelName, deliveryStatusText, statusText } from "../components/status.tsx";
import type { PageRequest } from "../request/page-request.tsx";

/** Shows the usage of an application. */
export function UsageCard({ deps, application }: PageRequest): Html {
  const { messages, verifications, channelAttempts, deliveries } = usageOf(deps, application.id);
  return (
    <Card id="usage" title="Usage" lead="Of this application, since its last reset.">
      <div class="figures">
        <Figure
          label="messages"
          total={messages.total}
          counts={messages.byStatus}
          also={`${messages.segments.toLocaleString("en")} segments`}
          nameOf={statusText}
        />
        <Figure label="verifications" total={verifications.total} counts={verifications.byStatus} nameOf={statusText} />
        <Figure
          label="channel attempts"
          total={channelAttempts.total}
          counts={channelAttempts.byChannel}
          nameOf={channelName}
        />
        <Figure
          label="webhook deliveries"
          total={deliveries.total}
          counts={deliveries.byStatus}
          also={`${deliveries.attempts.toLocaleString("en")} attempts`}
          nameOf={deliveryStatusText}
        />
      </div>
    </Card>
  );
}

interface FigureProps {
  readonly label: string;
  readonly total: number;
  readonly counts: Counts;
  readonly nameOf: (name: string) => string;
  readonly also?: string;
}

function Figure({ label, total, counts, nameOf, also }: FigureProps): Html {
  return (
    <section class="figure" aria-label={label}>
      <strong>{total.toLocaleString("en")}</strong> {label}
      <ul>
        {also !== undefined && <li>{also}</li>}
        {Object.entries(counts).map(([name, count]) => (
          <li>
            {count.toLocaleString("en")} {nameOf(name).toLowerCase()}
          </li>
        ))}
      </ul>
    </section>
  );
}
