import { type Delivery, lastUnchangedAttempt } from "../../state/delivery.ts";
import type { Firing } from "../../state/fault.ts";
import { Card, Facts } from "../components/card.tsx";
import { CopyBlock } from "../components/copy-button.tsx";
import { actionText } from "../components/fault-text.ts";
import { PostButton } from "../components/form-fields.tsx";
import type { Html } from "../components/html.ts";
import { Instant } from "../components/instant.tsx";
import { BackLink } from "../components/navigation.tsx";
import { applicationPath } from "../components/paths.ts";
import { prettyJson } from "../components/pretty-json.ts";
import { Timeline, type TimelineEntry } from "../components/timeline.tsx";
import { AttemptCard } from "./attempt-card.tsx";
import { ChangesForm } from "./changes-form.tsx";
import type { DeliveryResult } from "./delivery-query.ts";
import { FailureCause, NextAttempt, Outcome } from "./delivery-status.tsx";

/** The properties of {@link DeliveryDetails}. */
export interface DeliveryDetailsProps {
  /** The delivery and its related records. */
  readonly result: DeliveryResult;
  /** Now, in Unix milliseconds on the application's clock. */
  readonly now: number;
}

/** Shows one delivery: its event, its attempts with request and answer, and its payload. */
export function DeliveryDetails({ result, now }: DeliveryDetailsProps): Html {
  const { delivery } = result;
  return (
    <>
      <Head delivery={delivery} now={now} />
      {delivery.status !== "delivered" && delivery.attempts.length > 0 && (
        <p class="cause-box">
          <FailureCause delivery={delivery} />
        </p>
      )}
      <Card id="event" title="Event">
        <Facts facts={facts(result, now)} />
      </Card>
      <Attempts result={result} />
      <ChangesForm delivery={delivery} />
      <Payload delivery={delivery} />
    </>
  );
}

function Head({ delivery, now }: { readonly delivery: Delivery; readonly now: number }): Html {
  const { applicationId, id, eventStatus } = delivery;
  return (
    <div class="view-head">
      <BackLink href={applicationPath(applicationId, "webhooks")} label="All webhooks" />
      <h1>{eventStatus}</h1>
      <Outcome delivery={delivery} />
      <NextAttempt delivery={delivery} now={now} />
      <span class="push" />
      <PostButton
        action={`${applicationPath(applicationId, "deliveries", id)}/send`}
        label="Send again"
        icon="again"
        look="primary"
      />
    </div>
  );
}

function Attempts({ result: { delivery, firings } }: Pick<DeliveryDetailsProps, "result">): Html {
  const { attempts, url } = delivery;
  return (
    <Card id="attempts" title="Attempts" lead={attempts.length === 0 ? "The first attempt is in progress." : undefined}>
      <ol class="attempts">
        {attempts.map((attempt, index) => (
          <AttemptCard
            attempt={attempt}
            number={index + 1}
            url={url}
            original={attempt.changes && lastUnchangedAttempt({ attempts: attempts.slice(0, index) })}
            isLast={index === attempts.length - 1}
          />
        ))}
      </ol>
      {firings.length > 0 && <Timeline entries={firings.map(firingEntry)} label="Faults" />}
    </Card>
  );
}

function firingEntry({ at, action }: Firing): TimelineEntry {
  return { at, tone: "warn", icon: "bolt", text: "Fault", detail: actionText(action) };
}

/** @see "Delivery guarantees" of the specification */
function Payload({ delivery: { payload } }: { readonly delivery: Delivery }): Html {
  return (
    <Card id="payload" title="Payload" lead="Every attempt without changes sends the same bytes.">
      <CopyBlock text={prettyJson(payload)} label="the payload" />
      <details class="raw" id="raw">
        <summary>Raw payload</summary>
        <CopyBlock text={payload} label="the raw payload" />
      </details>
    </Card>
  );
}

function facts({ delivery, maxAttempts }: DeliveryResult, now: number) {
  const { id, applicationId, event, subjectId, recipient, url, endpointId, createdAt, attempts } = delivery;
  const made = attempts.filter(({ cause }) => cause === "schedule").length;
  const isVerification = event === "verification.update";
  const subject = <code>{subjectId}</code>;
  return [
    ["Event", <code>{event}</code>],
    ["To", <span class="number">{recipient}</span>],
    [
      isVerification ? "verification_id" : "message_id",
      <span class="id">
        {isVerification ? <a href={applicationPath(applicationId, "verifications", subjectId)}>{subject}</a> : subject}
      </span>,
    ],
    ["Destination", <code class="url">{url}</code>],
    ["Registered as", endpointId === undefined ? "callback_url of the request" : "endpoint of the application"],
    ["Scheduled attempts", `${made} of ${maxAttempts}`],
    ["Created", <Instant at={createdAt} now={now} />],
    [
      "Id",
      <span class="id">
        <code>{id}</code>
      </span>,
    ],
  ] as const;
}
