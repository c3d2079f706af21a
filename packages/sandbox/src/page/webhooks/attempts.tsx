import { type Html, Icon, nothing } from "@doorcode/operations/page-parts";
import {
  type AttemptCause,
  type AttemptChanges,
  type AttemptError,
  type DeliveryAttempt,
  isAcknowledged,
  lastUnchangedAttempt,
} from "../../state/delivery.ts";
import { durationText } from "../browser/time-text.ts";
import { Instant } from "../components/status.tsx";

const causes: Readonly<Record<AttemptCause, string>> = {
  schedule: "by the schedule",
  send_again: "sent again by hand",
  send_changed: "sent by hand with changes",
  duplicate: "duplicate of another attempt",
};

/** Shows the request and the answer of one of the attempts at a URL. The last one is open. */
export function attemptCard(attempts: readonly DeliveryAttempt[], index: number, url: string): Html {
  const attempt = attempts[index];
  if (!attempt) return nothing;
  const { at, cause, tookMilliseconds, changes } = attempt;
  const acknowledged = isAcknowledged(attempt);
  const original = changes && lastUnchangedAttempt({ attempts: attempts.slice(0, index) });
  const number = index + 1;
  return (
    <li>
      <details
        id={`attempt-${number}`}
        class={acknowledged ? "attempt good" : "attempt bad"}
        open={number === attempts.length}
      >
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
          {original && answerTo("Answer to the original", original)}
          {answerTo(changes ? "Answer to the changes" : "Answer", attempt)}
        </div>
      </details>
    </li>
  );
}

function answerTo(title: string, { status, answer, tookMilliseconds }: DeliveryAttempt): Html {
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

/** Describes the result of an attempt and, after a failure, the probable cause. */
export function attemptText(attempt: DeliveryAttempt, url: string): string {
  const { status, error, tookMilliseconds } = attempt;
  if (error !== undefined) return errorText(error, url, tookMilliseconds);
  if (status === undefined) return "No answer";
  if (isAcknowledged(attempt)) return `Acknowledged with ${status}`;
  // After a wrong signature, 401 is right.
  return attempt.changes ? `Answered with ${status}` : `${status}: ${answerText(status, url)}`;
}

function errorText(error: AttemptError, url: string, tookMilliseconds: number): string {
  const { protocol, port, hostname = url } = URL.parse(url) ?? {};
  switch (error) {
    case "unreachable":
      return `Connection refused: is your app running on port ${port || (protocol === "https:" ? "443" : "80")}?`;
    case "timed_out":
      return `No answer within ${durationText(tookMilliseconds)}: answer before doing slow work`;
    case "bad_certificate":
      return `The certificate of ${hostname} is not trusted`;
    case "not_loopback":
      if (protocol === "in-process:") return "The handler in this process was removed";
      return `${hostname} is not this machine, and remote webhooks are not allowed`;
    case "handler_threw":
      return "The handler in this process threw an error";
    case "dropped":
      return "A fault dropped it: nothing was sent";
    case "cut":
      return "The connection was cut before the answer";
  }
}

function answerText(status: number, url: string): string {
  const path = URL.parse(url)?.pathname ?? url;
  if (status === 401) return "your app refused the signature. Does it use the signing secret of this application?";
  if (status === 404) return `your app has no route at ${path}`;
  if (status === 405) return `your app does not accept POST at ${path}`;
  if (status === 413) return "your app refused the body as too large";
  if (status < 400) return "redirects are not followed";
  return status >= 500 ? "your app failed. Its log has the details" : "your app refused it";
}

/** The label of each signature of an attempt with changes. */
export const signatureTexts: Readonly<Record<NonNullable<AttemptChanges["signature"]>, string>> = {
  valid: "valid",
  wrong_secret: "signed with a wrong secret",
  missing: "without a signature",
};

/** Describes the changes of an attempt: "another body, 600 s ago, without a signature". */
export function changesText({ body, timestampOffsetSeconds = 0, signature = "valid" }: AttemptChanges): string {
  const isPast = timestampOffsetSeconds < 0;
  const seconds = Math.abs(timestampOffsetSeconds).toLocaleString("en");
  const texts = [
    body === undefined ? undefined : "another body",
    seconds === "0" ? undefined : `dated ${seconds} s ${isPast ? "ago" : "ahead"}`,
    signature === "valid" ? undefined : signatureTexts[signature],
  ].filter((text) => text !== undefined);
  return texts.length === 0 ? "no changes" : texts.join(", ");
}
