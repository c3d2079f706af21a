import type { WebhookEndpoint } from "../../state/application.ts";
import { PostButton } from "../components/form-fields.tsx";
import { FailingSince, HealthStatus } from "../components/health-status.tsx";
import type { Html } from "../components/html.ts";
import { applicationPath } from "../components/paths.ts";

/** The properties of {@link EndpointHealth}. */
export interface EndpointHealthProps {
  /** The application. */
  readonly applicationId: string;
  /** Its endpoints. */
  readonly endpoints: readonly WebhookEndpoint[];
  /** Now, in Unix milliseconds on the application's clock. */
  readonly now: number;
}

/** Shows the health of each endpoint. */
export function EndpointHealth({ applicationId, endpoints, now }: EndpointHealthProps): Html {
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
