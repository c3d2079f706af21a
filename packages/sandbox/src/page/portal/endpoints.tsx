import type { Finding } from "@doorcode/cli/endpoint-check";
import { Card, EmptyNote, type Html, PostButton } from "@doorcode/operations/page-parts";
import { isCheckable } from "../../sandbox/endpoints.ts";
import { type EventName, eventNames } from "../../state/application.ts";
import { CheckBoxes, FieldsForm, Input } from "../components/controls.tsx";
import { applicationPath } from "../components/paths.ts";
import { EndpointHealth } from "../components/status.tsx";
import type { Notice } from "../layout/layout-data.ts";
import type { FormHandlers, PageRequest } from "../request/page-request.tsx";

/** The handlers of the forms that change the webhook endpoints of an application. */
export const endpointForms: FormHandlers = {
  "/endpoints": ({ sandbox, form }) =>
    sandbox.endpoints.add({ target: form.text("url") ?? "", events: form.all("events") }),
  "/endpoints/:endpoint/events": ({ sandbox, form, param }) =>
    sandbox.endpoints.setEvents(param("endpoint"), form.all("events")),
  "/endpoints/:endpoint/enable": ({ sandbox, param }) => sandbox.endpoints.enable(param("endpoint")),
  "/endpoints/:endpoint/remove": ({ sandbox, param }) => sandbox.endpoints.remove(param("endpoint")),
  "/endpoints/:endpoint/check": async ({ sandbox, param, answer }) =>
    answer({ notice: checkNotice(await sandbox.endpoints.check(param("endpoint"))) }),
};

const symbols: Readonly<Record<Finding["level"], string>> = { ok: "✓", warning: "!", problem: "✗" };

function checkNotice(findings: readonly Finding[]): Notice {
  const passed = findings.every(({ level }) => level !== "problem");
  return {
    kind: passed ? "done" : "problem",
    text: passed ? "The endpoint works." : "The endpoint has a problem.",
    lines: findings.map(({ level, text, fix = "" }) => `${symbols[level]} ${text} ${fix}`.trimEnd()),
  };
}

/** Shows the webhook endpoints of an application with their events, and a form that adds one. */
export function EndpointsCard({ application: { id, endpoints }, now }: PageRequest): Html {
  const list = applicationPath(id, "endpoints");
  return (
    <Card
      id="endpoints"
      title="Webhook endpoints"
      lead="The events of a request with a callback_url go only there. All other events go to each endpoint that selected them."
    >
      {endpoints.length === 0 && <EmptyNote>No endpoint is registered.</EmptyNote>}
      <ul class="items">
        {endpoints.map((endpoint) => {
          const path = applicationPath(id, "endpoints", endpoint.id);
          return (
            <li id={path}>
              <EndpointHealth endpoint={endpoint} path={path} now={now} />
              {isCheckable(endpoint.url, true) && <PostButton action={`${path}/check`} label="Check" />}
              <PostButton
                action={`${path}/remove`}
                label={`Remove ${endpoint.url}`}
                icon="trash"
                bare
                confirm={`Remove ${endpoint.url}? Its pending deliveries fail.`}
              />
              <form method="post" action={`${path}/events`} class="row">
                {eventChoice(endpoint.events)}
                <button type="submit">Save</button>
              </form>
            </li>
          );
        })}
      </ul>
      <FieldsForm action={list} label="Add endpoint" look="primary">
        <Input label="URL" kind="wide" type="url" name="url" required placeholder="http://localhost:3000/webhooks" />
        {eventChoice(eventNames)}
      </FieldsForm>
    </Card>
  );
}

function eventChoice(checked: readonly EventName[]): Html {
  return <CheckBoxes legend="Events" name="events" values={eventNames} checked={checked} unseen />;
}
