import { Card, Facts, Field, type Html, nothing, PostButton, Status, type Tone } from "@doorcode/operations/page-parts";
import { type Delivery, type DeliveryStage, lastUnchangedAttempt, stageOf } from "../../state/delivery.ts";
import { firingEntry } from "../clock/faults.tsx";
import { BackLink, CopyBlock, FieldsForm, Input, prettyJson, SelectField } from "../components/controls.tsx";
import { Phone } from "../components/digits.tsx";
import { applicationPath } from "../components/paths.ts";
import { Countdown, deliveryTexts, Instant, Timeline } from "../components/status.tsx";
import type { FormRequest, PageRequest } from "../request/page-request.tsx";
import { attemptCard, attemptText, signatureTexts } from "./attempts.tsx";

/** Shows one delivery: its event, its attempts with request and answer, and its payload. */
export function deliveryDetails(delivery: Delivery, request: PageRequest): Html {
  const cause = failureCause(delivery);
  return (
    <>
      {head(delivery, request.now)}
      {cause && <p class="cause-box">{cause}</p>}
      <Card id="event" title="Event">
        <Facts facts={facts(delivery, request)} />
      </Card>
      {attemptsCard(delivery, request)}
      {changesCard(delivery)}
      {payloadCard(delivery)}
    </>
  );
}

function head(delivery: Delivery, now: number): Html {
  const { applicationId, id, eventStatus } = delivery;
  const send = applicationPath(applicationId, "deliveries", id, "send");
  return (
    <div class="view-head">
      <BackLink href={applicationPath(applicationId, "webhooks")} label="All webhooks" />
      <h1>{eventStatus}</h1>
      {outcome(delivery)}
      {nextAttempt(delivery, now)}
      <span class="push" />
      <PostButton action={send} label="Replay" icon="again" look="primary" />
    </div>
  );
}

function attemptsCard({ id, applicationId, attempts, url }: Delivery, { deps }: PageRequest): Html {
  const firings = deps.state.firings.list(applicationId).filter(({ deliveryId }) => deliveryId === id);
  return (
    <Card id="attempts" title="Attempts" lead={attempts.length === 0 ? "The first attempt is in progress." : undefined}>
      <ol class="attempts">{attempts.map((_, index) => attemptCard(attempts, index, url))}</ol>
      {firings.length > 0 && <Timeline entries={firings.reverse().map(firingEntry)} label="Faults" />}
    </Card>
  );
}

/** @see "Delivery guarantees" of the specification */
function payloadCard({ payload }: Delivery): Html {
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
    ["To", <Phone number={recipient} />],
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
    ["Id", <code class="id">{id}</code>],
  ] as const;
}

function changesCard({ applicationId, id, payload }: Delivery): Html {
  const text = prettyJson(payload);
  const action = applicationPath(applicationId, "deliveries", id, "send_changed");
  return (
    <Card
      id="changes"
      title="Send with changes"
      lead="Shows what your app answers. The outcome does not count for the delivery and its endpoint."
    >
      <FieldsForm action={action} label="Send with changes" look="primary">
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
        <SelectField label="Signature" name="signature" choices={signatureTexts} />
      </FieldsForm>
    </Card>
  );
}

/** Handles the form that sends a delivery again with changes. */
export async function sendChanged({ deps, sandbox, form, param }: FormRequest): Promise<void> {
  const id = param("delivery");
  // Browsers send a line break as two characters.
  const body = form.text("body")?.replaceAll("\r\n", "\n") ?? "";
  const payload = deps.state.deliveries.get(id)?.payload ?? "";
  await sandbox.deliveries.sendAgain(id, {
    ...(body !== prettyJson(payload) && { body }),
    timestampOffsetSeconds: form.number("timestampOffsetSeconds"),
    signature: form.text("signature"),
  });
}

/** Shows the status of a delivery. */
export function outcome(delivery: Delivery): Html {
  const stage = stageOf(delivery);
  return <Status tone={stageTones[stage]}>{deliveryTexts[stage]}</Status>;
}

const stageTones: Readonly<Record<DeliveryStage, Tone>> = {
  sending: "busy",
  retrying: "warn",
  delivered: "good",
  failed: "bad",
};

/** Shows the result of the last attempt; undefined when the delivery was acknowledged or has none. */
export function failureCause(delivery: Delivery): Html | undefined {
  const last = lastUnchangedAttempt(delivery);
  if (!last || delivery.status === "delivered") return undefined;
  return <span class="cause">{attemptText(last, delivery.url)}</span>;
}

/** Shows the time until the next attempt. */
export function nextAttempt({ nextAttemptAt, attempts }: Delivery, now: number): Html {
  if (nextAttemptAt === undefined || attempts.length === 0) return nothing;
  return (
    <span class="soft">
      next attempt <Countdown until={nextAttemptAt} now={now} />
    </span>
  );
}
