import { type AttemptCause, type DeliveryAttempt, isAcknowledged } from "../../state/delivery.ts";
import { durationText } from "../browser/time-text.ts";
import type { Html } from "../components/html.ts";
import { Icon } from "../components/icon.tsx";
import { Instant } from "../components/instant.tsx";
import { attemptText, changesText } from "./attempt-text.ts";

const causes: Readonly<Record<AttemptCause, string>> = {
  schedule: "by the schedule",
  send_again: "sent again by hand",
  send_changed: "sent by hand with changes",
  duplicate: "duplicate of another attempt",
};

/** The properties of {@link AttemptCard}. */
export interface AttemptCardProps {
  /** The attempt. */
  readonly attempt: DeliveryAttempt;
  /** Its number, from 1. */
  readonly number: number;
  /** The URL of the endpoint. */
  readonly url: string;
  /** The last attempt without changes before it, to compare with; undefined if there is none. */
  readonly original?: DeliveryAttempt | undefined;
  /** The last attempt is open. */
  readonly isLast: boolean;
}

/** Shows the request and the answer of an attempt. */
export function AttemptCard({ attempt, number, url, original, isLast }: AttemptCardProps): Html {
  const { at, cause, tookMilliseconds, changes } = attempt;
  const acknowledged = isAcknowledged(attempt);
  return (
    <li>
      <details id={`attempt-${number}`} class={acknowledged ? "attempt good" : "attempt bad"} open={isLast}>
        <summary>
          <Icon name={acknowledged ? "check" : "cross"} />
          <strong>{number}</strong>
          <span class="words">{attemptText(attempt, url)}</span>
          <span class="soft">
            {causes[cause]}
            {changes && `: ${changesText(changes)}`}, {durationText(tookMilliseconds)}
          </span>
          <Instant at={at} precise />
        </summary>
        <h3>Request</h3>
        <pre class="wrap">{requestText(attempt, url)}</pre>
        <div class={original && "compared"}>
          {original && <Answer attempt={original} title="Answer to the original" />}
          <Answer attempt={attempt} title={changes ? "Answer to the changes" : "Answer"} />
        </div>
      </details>
    </li>
  );
}

interface AnswerProps {
  readonly attempt: DeliveryAttempt;
  readonly title: string;
}

function Answer({ attempt: { status, answer, tookMilliseconds }, title }: AnswerProps): Html {
  return (
    <div>
      <h3>
        {title}
        {status === undefined ? "" : ` ${status}`}, {durationText(tookMilliseconds)}
      </h3>
      <pre class="wrap">{answer === "" ? (status === undefined ? "None." : "An empty body.") : answer}</pre>
    </div>
  );
}

function requestText({ timestamp, signature, changes }: DeliveryAttempt, url: string): string {
  const lines = [`POST ${url}`, "Content-Type: application/json", `X-Webhook-Timestamp: ${timestamp}`];
  const signed = signature === "" ? lines : [...lines, `X-Webhook-Signature: ${signature}`];
  // The body of every other attempt is the payload, which the page shows below.
  return [...signed, ...(changes?.body === undefined ? [] : ["", changes.body])].join("\n");
}
