import { type AttemptCause, type DeliveryAttempt, isAcknowledged } from "../../state/delivery.ts";
import { durationText } from "../browser/time-text.ts";
import type { Html } from "../components/html.ts";
import { Icon } from "../components/icon.tsx";
import { Instant } from "../components/instant.tsx";
import { attemptText } from "./attempt-text.ts";

const causes: Readonly<Record<AttemptCause, string>> = {
  schedule: "by the schedule",
  send_again: "sent again by hand",
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
  /** The last attempt is open. */
  readonly isLast: boolean;
}

/** Shows the request and the answer of an attempt. */
export function AttemptCard({ attempt, number, url, isLast }: AttemptCardProps): Html {
  const { at, cause, tookMilliseconds, status, answer } = attempt;
  const acknowledged = isAcknowledged(attempt);
  return (
    <li>
      <details id={`attempt-${number}`} class={acknowledged ? "attempt good" : "attempt bad"} open={isLast}>
        <summary>
          <Icon name={acknowledged ? "check" : "cross"} />
          <strong>{number}</strong>
          <span class="words">{attemptText(attempt, url)}</span>
          <span class="soft">
            {causes[cause]}, {durationText(tookMilliseconds)}
          </span>
          <Instant at={at} precise />
        </summary>
        <h3>Request</h3>
        <pre class="wrap">{requestText(attempt, url)}</pre>
        <h3>Answer{status === undefined ? "" : ` ${status}`}</h3>
        <pre class="wrap">{answer === "" ? (status === undefined ? "None." : "An empty body.") : answer}</pre>
      </details>
    </li>
  );
}

function requestText({ timestamp, signature }: DeliveryAttempt, url: string): string {
  const lines = [`POST ${url}`, "Content-Type: application/json", `X-Webhook-Timestamp: ${timestamp}`];
  return [...lines, `X-Webhook-Signature: ${signature}`].join("\n");
}
