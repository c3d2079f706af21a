import type { AttemptCause, DeliveryAttempt } from "../../state/delivery.ts";
import { attemptWords, isAcknowledged } from "../attempt-words.ts";
import { durationText } from "../browser/duration-text.ts";
import { Icon } from "../controls/icon.tsx";
import type { Html } from "../html.ts";
import { Instant } from "../instant.tsx";

const causes: Readonly<Record<AttemptCause, string>> = {
  schedule: "by the schedule",
  send_again: "sent again by hand",
  duplicate: "copy of another one",
};

/** What {@link AttemptCard} shows. */
export interface AttemptCardProps {
  readonly attempt: DeliveryAttempt;
  readonly number: number;
  readonly url: string;
  /** The last one stands open. */
  readonly isLast: boolean;
}

/** An attempt: what was asked and what was answered. */
export function AttemptCard({ attempt, number, url, isLast }: AttemptCardProps): Html {
  const { at, cause, tookMilliseconds, status, answer } = attempt;
  const good = isAcknowledged(attempt);
  return (
    <li>
      <details id={`attempt-${number}`} class={good ? "attempt good" : "attempt bad"} open={isLast}>
        <summary>
          <Icon name={good ? "check" : "cross"} />
          <strong>{number}</strong>
          <span class="words">{attemptWords(attempt, url)}</span>
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
