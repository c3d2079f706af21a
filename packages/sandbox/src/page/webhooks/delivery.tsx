import { sendAgain } from "../../sandbox/deliveries.ts";
import { type Delivery, lastUnchangedAttempt } from "../../state/delivery.ts";
import { actionText } from "../clock/faults.tsx";
import { BackLink, CopyBlock, Field, FieldsForm, Input, PostButton, Select } from "../components/controls.tsx";
import { Card, Facts, type Html, nothing } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import { Countdown, deliveryStatusText, Instant, Status, Timeline, type TimelineEntry } from "../components/status.tsx";
import type { FormRequest, PageRequest } from "../request/page-request.tsx";
import { AttemptCard, attemptText } from "./attempts.tsx";

interface DeliveryDetailsProps {
  readonly delivery: Delivery;
  readonly request: PageRequest;
}

/** Shows one delivery: its event, its attempts with request and answer, and its payload. */
export function DeliveryDetails({ delivery, request }: DeliveryDetailsProps): Html {
  return (
    <>
      <Head delivery={delivery} now={request.now} />
      {delivery.status !== "delivered" && delivery.attempts.length > 0 && (
        <p class="cause-box">
          <FailureCause delivery={delivery} />
        </p>
      )}
      <Card id="event" title="Event">
        <Facts facts={facts(delivery, request)} />
      </Card>
      <Attempts delivery={delivery} request={request} />
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

function Attempts({ delivery, request }: DeliveryDetailsProps): Html {
  const { id, applicationId, attempts, url } = delivery;
  const firings = request.deps.state.firings.list(applicationId).filter(({ deliveryId }) => deliveryId === id);
  const entries = firings.reverse().map(
    ({ at, action }): TimelineEntry => ({
      at,
      tone: "warn",
      icon: "bolt",
      text: "Fault",
      detail: actionText(action),
    }),
  );
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
      {entries.length > 0 && <Timeline entries={entries} label="Faults" />}
    </Card>
  );
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

function facts(delivery: Delivery, { application, now }: PageRequest) {
  const { id, applicationId, event, subjectId, recipient, url, endpointId, createdAt, attempts } = delivery;
  const made = attempts.filter(({ cause }) => cause === "schedule").length;
  const scheduled = application.settings.webhookRetryDelaysSeconds.length + 1;
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
    ["Scheduled attempts", `${made} of ${scheduled}`],
    ["Created", <Instant at={createdAt} now={now} />],
    [
      "Id",
      <span class="id">
        <code>{id}</code>
      </span>,
    ],
  ] as const;
}

const signatures = [
  { value: "valid", label: "valid" },
  { value: "wrong_secret", label: "by a wrong secret" },
  { value: "missing", label: "missing" },
];

function ChangesForm({ delivery: { applicationId, id, payload } }: { readonly delivery: Delivery }): Html {
  const text = prettyJson(payload);
  return (
    <Card
      id="changes"
      title="Send with changes"
      lead="Shows what your app answers. The outcome does not count for the delivery and its endpoint."
    >
      <FieldsForm
        action={`${applicationPath(applicationId, "deliveries", id)}/send_changed`}
        label="Send with changes"
        look="primary"
      >
        <Field
          label="Body"
          kind="wide"
          hint="Sent as it stands here. If you do not change it, the original bytes are sent."
        >
          <textarea name="body" rows={Math.min(text.split("\n").length + 1, 16)} spellcheck={false} class="json">
            {text}
          </textarea>
        </Field>
        <Input
          label="Timestamp offset, s"
          hint="-600 is ten minutes ago"
          type="number"
          name="timestampOffsetSeconds"
          value="0"
          required
        />
        <Field label="Signature">
          <Select name="signature" choices={signatures} />
        </Field>
      </FieldsForm>
    </Card>
  );
}

/** Handles the form that sends a delivery again with changes. */
export async function sendChanged({ deps, application, form, param }: FormRequest): Promise<void> {
  const id = param("delivery");
  // Browsers send a line break as two characters.
  const body = form.text("body")?.replaceAll("\r\n", "\n") ?? "";
  const payload = deps.state.deliveries.get(id)?.payload ?? "";
  await sendAgain(deps, application.id, id, {
    ...(body !== prettyJson(payload) && { body }),
    timestampOffsetSeconds: form.number("timestampOffsetSeconds"),
    signature: form.text("signature"),
  });
}

/** Formats a JSON text over several lines. Any other text stays as it is. */
function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Shows the status of a delivery. */
export function Outcome({ delivery }: { readonly delivery: Delivery }): Html {
  const { status, attempts, nextAttemptAt } = delivery;
  if (status === "delivered") return <Status tone="good">{deliveryStatusText(status)}</Status>;
  if (status === "failed") return <Status tone="bad">{deliveryStatusText(status)}</Status>;
  if (nextAttemptAt === undefined || attempts.length === 0) return <Status tone="busy">Sending</Status>;
  return <Status tone="warn">Retrying</Status>;
}

/** Shows the result of the last attempt, unless the delivery was acknowledged. */
export function FailureCause({ delivery }: { readonly delivery: Delivery }): Html {
  const last = lastUnchangedAttempt(delivery);
  if (!last || delivery.status === "delivered") return nothing;
  return <span class="cause">{attemptText(last, delivery.url)}</span>;
}

/** Shows the time until the next attempt. */
export function NextAttempt({ delivery, now }: { readonly delivery: Delivery; readonly now: number }): Html {
  const { nextAttemptAt, attempts } = delivery;
  if (nextAttemptAt === undefined || attempts.length === 0) return nothing;
  return (
    <span class="soft">
      next attempt <Countdown until={nextAttemptAt} now={now} />
    </span>
  );
}
