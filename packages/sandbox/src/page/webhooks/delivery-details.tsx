import { sendAgain } from "../../sandbox/deliveries.ts";
import type { Application } from "../../state/application.ts";
import { type Delivery, lastUnchangedAttempt } from "../../state/delivery.ts";
import type { Firing } from "../../state/fault.ts";
import type { State } from "../../state/state.ts";
import { BackLink, CopyBlock, Field, PostButton, Select, SubmitButton } from "../components/controls.tsx";
import { Card, Facts, type Html } from "../components/elements.tsx";
import { actionText } from "../components/fault-text.ts";
import { applicationPath } from "../components/paths.ts";
import { Instant } from "../components/status.tsx";
import { Timeline, type TimelineEntry } from "../components/timeline.tsx";
import { type FormHandlers, type FormRequest, ofApplication } from "../request/form-handler.ts";
import { AttemptCard } from "./attempts.tsx";
import { FailureCause, NextAttempt, Outcome } from "./delivery-list.tsx";

/** A delivery and its related records. */
interface DeliveryResult {
  readonly delivery: Delivery;
  /** The firings of faults on it, the newest first. */
  readonly firings: readonly Firing[];
  readonly maxAttempts: number;
}

/** Finds a delivery of an application and its related records; undefined when there is none with this id. */
export function findDelivery(
  state: Pick<State, "deliveries" | "firings">,
  application: Application,
  id: string,
): DeliveryResult | undefined {
  const delivery = state.deliveries.get(id);
  if (delivery?.applicationId !== application.id) return undefined;
  return {
    delivery,
    firings: state.firings
      .list(application.id)
      .filter(({ deliveryId }) => deliveryId === id)
      .reverse(),
    maxAttempts: application.settings.webhookRetryDelaysSeconds.length + 1,
  };
}

interface DeliveryDetailsProps {
  readonly result: DeliveryResult;
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

/** The handler of the form that sends a delivery again with changes. */
export const changesForms: FormHandlers = {
  returning: { [`${ofApplication}/deliveries/:delivery/send_changed`]: sendChanged },
};

const signatures = [
  { value: "valid", label: "valid" },
  { value: "wrong_secret", label: "by a wrong secret" },
  { value: "missing", label: "missing" },
];

/** A form that sends a delivery again with another body, timestamp or signature. */
function ChangesForm({ delivery: { applicationId, id, payload } }: { readonly delivery: Delivery }): Html {
  const text = prettyJson(payload);
  return (
    <Card
      id="changes"
      title="Send with changes"
      lead="Shows what your app answers. The outcome does not count for the delivery and its endpoint."
    >
      <form method="post" action={`${applicationPath(applicationId, "deliveries", id)}/send_changed`} class="fields">
        <Field
          label="Body"
          kind="wide"
          hint="Sent as it stands here. If you do not change it, the original bytes are sent."
        >
          <textarea name="body" rows={Math.min(text.split("\n").length + 1, 16)} spellcheck={false} class="json">
            {text}
          </textarea>
        </Field>
        <Field label="Timestamp offset, s" hint="-600 is ten minutes ago">
          <input type="number" name="timestampOffsetSeconds" value="0" required />
        </Field>
        <Field label="Signature">
          <Select name="signature" choices={signatures} />
        </Field>
        <SubmitButton label="Send with changes" look="primary" />
      </form>
    </Card>
  );
}

async function sendChanged({ deps, application, form, param }: FormRequest): Promise<void> {
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
