import type { WebhookEndpoint } from "../../state/application.ts";
import { address } from "../address.ts";
import { PostButton } from "../controls/form.tsx";
import { Status } from "../controls/status.tsx";
import type { Html } from "../html.ts";
import { Instant } from "../instant.tsx";

/** What {@link EndpointHealth} shows. */
export interface EndpointHealthProps {
  readonly applicationId: string;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly now: number;
}

/** How the endpoints do. */
export function EndpointHealth({ applicationId, endpoints, now }: EndpointHealthProps): Html {
  if (endpoints.length === 0) {
    return (
      <p class="hint-box">
        No endpoint is registered, so only requests with a <code>callback_url</code> get webhooks.{" "}
        <a href={address(applicationId, "portal", "endpoints")}>Register one</a>
      </p>
    );
  }
  return (
    <ul class="health">
      {endpoints.map((endpoint) => (
        <li id={`health-${endpoint.id}`}>
          <HealthStatus endpoint={endpoint} />
          <code class="url">{endpoint.url}</code>
          <span class="soft">
            {endpoint.failingSince !== undefined && (
              <>
                failing since <Instant at={endpoint.failingSince} now={now} />
              </>
            )}
          </span>
          {endpoint.status === "disabled" && (
            <PostButton action={`${address(applicationId, "endpoints", endpoint.id)}/enable`} label="Enable" />
          )}
        </li>
      ))}
    </ul>
  );
}

/** The health of an endpoint in a word. */
export function HealthStatus({ endpoint: { status, failingSince } }: { readonly endpoint: WebhookEndpoint }): Html {
  if (status === "disabled") return <Status tone="bad">Disabled</Status>;
  return failingSince === undefined ? <Status tone="good">Healthy</Status> : <Status tone="warn">Failing</Status>;
}
