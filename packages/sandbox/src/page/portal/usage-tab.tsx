import type { Counts, Usage } from "../../portal/usage.ts";
import { Card } from "../controls/card.tsx";
import { channelName } from "../controls/channel.tsx";
import { statusWord } from "../controls/status.tsx";
import type { Html } from "../html.ts";

/** What an application used. The key a request carries decides where it is counted. */
export function UsageTab({ usage }: { readonly usage: Usage }): Html {
  const { messages, verifications, channelAttempts, deliveries } = usage;
  return (
    <Card id="usage" title="Usage" lead="Of this application alone, since it was last reset.">
      <div class="figures">
        <Figure
          label="messages"
          total={messages.total}
          counts={messages.byStatus}
          also={`${messages.segments.toLocaleString("en")} segments`}
          word={statusWord}
        />
        <Figure label="verifications" total={verifications.total} counts={verifications.byStatus} word={statusWord} />
        <Figure
          label="channel attempts"
          total={channelAttempts.total}
          counts={channelAttempts.byChannel}
          word={channelName}
        />
        <Figure
          label="webhook deliveries"
          total={deliveries.total}
          counts={deliveries.byStatus}
          also={`${deliveries.attempts.toLocaleString("en")} attempts`}
          word={deliveryWord}
        />
      </div>
    </Card>
  );
}

interface FigureProps {
  readonly label: string;
  readonly total: number;
  readonly counts: Counts;
  readonly word: (name: string) => string;
  readonly also?: string;
}

function Figure({ label, total, counts, word, also }: FigureProps): Html {
  return (
    <section class="figure" aria-label={label}>
      <strong>{total.toLocaleString("en")}</strong> {label}
      <ul>
        {also !== undefined && <li>{also}</li>}
        {Object.entries(counts).map(([name, count]) => (
          <li>
            {count.toLocaleString("en")} {word(name).toLowerCase()}
          </li>
        ))}
      </ul>
    </section>
  );
}

const deliveryWords: Readonly<Record<string, string>> = {
  pending: "under way",
  delivered: "acknowledged",
  failed: "given up",
};

function deliveryWord(status: string): string {
  return deliveryWords[status] ?? status;
}
