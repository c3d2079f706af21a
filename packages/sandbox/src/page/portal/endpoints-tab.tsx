import { type Application, type EventName, eventNames, type WebhookEndpoint } from "../../state/application.ts";
import { address } from "../address.ts";
import { Card, Empty } from "../controls/card.tsx";
import { Field, PostButton } from "../controls/form.tsx";
import type { Html } from "../html.ts";
import { Instant } from "../instant.tsx";
import { HealthStatus } from "../webhooks/endpoint-list.tsx";

/** What {@link EndpointsTab} shows. */
export interface EndpointsTabProps {
  readonly application: Pick<Application, "id" | "endpoints">;
  readonly now: number;
}

/** The webhook endpoints of an application with their choice of events. */
export function EndpointsTab({ application: { id, endpoints }, now }: EndpointsTabProps): Html {
  const path = address(id, "endpoints");
  return (
    <Card
      id="endpoints"
      title="Webhook endpoints"
      lead="A request's own callback_url comes first; without one, each endpoint here gets the events it chose."
    >
      {endpoints.length === 0 && <Empty>No endpoint is registered.</Empty>}
      <ul class="items">
        {endpoints.map((endpoint) => (
          <EndpointItem endpoint={endpoint} path={`${path}/${encodeURIComponent(endpoint.id)}`} now={now} />
        ))}
      </ul>
      <form method="post" action={path} class="fields">
        <Field label="URL" kind="wide">
          <input type="url" name="url" required placeholder="http://localhost:3000/webhooks" autocomplete="off" />
        </Field>
        <EventChoice chosen={eventNames} />
        <p class="act">
          <button type="submit" class="primary">
            Add endpoint
          </button>
        </p>
      </form>
    </Card>
  );
}

interface EndpointItemProps {
  readonly endpoint: WebhookEndpoint;
  readonly path: string;
  readonly now: number;
}

function EndpointItem({ endpoint, path, now }: EndpointItemProps): Html {
  const { id, url, events, status, failingSince } = endpoint;
  return (
    <li id={`endpoint-${id}`}>
      <HealthStatus endpoint={endpoint} />
      <code class="text">{url}</code>
      {failingSince !== undefined && (
        <span class="soft">
          failing since <Instant at={failingSince} now={now} />
        </span>
      )}
      {status === "disabled" && <PostButton action={`${path}/enable`} label="Enable" look="plain" />}
      <PostButton
        action={`${path}/remove`}
        label={`Remove ${url}`}
        icon="trash"
        bare
        confirm={`Remove ${url}? What is on its way to it fails.`}
      />
      <form method="post" action={`${path}/events`} class="row">
        <EventChoice chosen={events} />
        <button type="submit" class="quiet">
          Save
        </button>
      </form>
    </li>
  );
}

function EventChoice({ chosen }: { readonly chosen: readonly EventName[] }): Html {
  return (
    <fieldset>
      <legend class="unseen">Events</legend>
      <div class="checks">
        {eventNames.map((name) => (
          <label class="check">
            <input type="checkbox" name="events" value={name} checked={chosen.includes(name)} />
            <code>{name}</code>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
