import type { WebhookEndpoint } from "../../state/application.ts";
import { type Html, nothing } from "./html.ts";
import { Instant } from "./instant.tsx";
import { Status } from "./status.tsx";

/** Shows the health of an endpoint in one word. */
export function HealthStatus({ endpoint: { status, failingSince } }: { readonly endpoint: WebhookEndpoint }): Html {
  if (status === "disabled") return <Status tone="bad">Disabled</Status>;
  return failingSince === undefined ? <Status tone="good">Healthy</Status> : <Status tone="warn">Failing</Status>;
}

/** Shows since when an endpoint has been failing; nothing while it works. */
export function FailingSince({
  endpoint: { failingSince },
  now,
}: {
  readonly endpoint: WebhookEndpoint;
  readonly now: number;
}): Html {
  if (failingSince === undefined) return nothing;
  return (
    <span class="soft">
      failing since <Instant at={failingSince} now={now} />
    </span>
  );
}
