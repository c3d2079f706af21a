import type { Delivery } from "../../state/delivery.ts";
import { address } from "../address.ts";
import { BackLink } from "../controls/back-link.tsx";
import { Card, Facts } from "../controls/card.tsx";
import { CopyBlock } from "../controls/copy.tsx";
import { PostButton } from "../controls/form.tsx";
import { Timeline } from "../controls/timeline.tsx";
import { actionWords } from "../fault-words.ts";
import type { Html } from "../html.ts";
import { Instant } from "../instant.tsx";
import { AttemptCard } from "./attempt-card.tsx";
import { FailureCause, NextAttempt, Outcome } from "./outcome.tsx";
import type { DeliveryView } from "./webhooks-view.ts";

/** What {@link DeliveryPage} shows. */
export interface DeliveryPageProps {
  readonly view: DeliveryView;
  readonly now: number;
}

/** One delivery: its event, its attempts with request and answer, and the next one. */
export function DeliveryPage({ view, now }: DeliveryPageProps): Html {
  const { delivery, firings, scheduled } = view;
  const { attempts } = delivery;
  return (
    <>
      <Head delivery={delivery} now={now} />
      {delivery.status !== "delivered" && attempts.length > 0 && (
        <p class="cause-box">
          <FailureCause delivery={delivery} />
        </p>
      )}
      <Card id="event" title="Event">
        <Facts facts={facts(delivery, now, scheduled)} />
      </Card>
      <Card id="attempts" title="Attempts" lead={attempts.length === 0 ? "The first attempt is under way." : undefined}>
        <ol class="attempts">
          {attempts.map((attempt, index) => (
            <AttemptCard
              attempt={attempt}
              number={index + 1}
              url={delivery.url}
              isLast={index === attempts.length - 1}
            />
          ))}
        </ol>
        {firings.length > 0 && (
          <Timeline
            entries={firings.map(({ at, action }) => ({
              at,
              tone: "warn",
              icon: "bolt",
              text: "Fault",
              detail: actionWords(action),
            }))}
            label="Faults"
          />
        )}
      </Card>
      <Payload delivery={delivery} />
    </>
  );
}

function Head({ delivery, now }: { readonly delivery: Delivery; readonly now: number }): Html {
  const { applicationId, id, told } = delivery;
  return (
    <div class="view-head">
      <BackLink href={address(applicationId, "webhooks")} label="All webhooks" />
      <h1>{told}</h1>
      <Outcome delivery={delivery} />
      <NextAttempt delivery={delivery} now={now} />
      <span class="push" />
      <PostButton
        action={`${address(applicationId, "deliveries", id)}/send`}
        label="Send again"
        icon="again"
        look="primary"
      />
    </div>
  );
}

/** The same bytes in each attempt. @see "Delivery guarantees" of the specification */
function Payload({ delivery: { payload } }: { readonly delivery: Delivery }): Html {
  return (
    <Card id="payload" title="Payload" lead="The same in every attempt, byte for byte.">
      <CopyBlock text={prettyJson(payload)} what="the payload" />
      <details class="raw" id="raw">
        <summary>As it was sent</summary>
        <CopyBlock text={payload} what="the raw payload" />
      </details>
    </Card>
  );
}

function facts(delivery: Delivery, now: number, scheduled: number) {
  const { id, applicationId, event, subjectId, recipient, url, endpointId, createdAt, attempts } = delivery;
  const made = attempts.filter(({ cause }) => cause === "schedule").length;
  const verification = event === "verification.update";
  return [
    ["Event", <code>{event}</code>],
    ["To", <span class="number">{recipient}</span>],
    [
      verification ? "verification_id" : "message_id",
      <span class="id">
        {verification ? (
          <a href={address(applicationId, "verifications", subjectId)}>
            <code>{subjectId}</code>
          </a>
        ) : (
          <code>{subjectId}</code>
        )}
      </span>,
    ],
    ["Destination", <code class="url">{url}</code>],
    ["Chosen by", endpointId === undefined ? "callback_url of the request" : "endpoint of the application"],
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

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
