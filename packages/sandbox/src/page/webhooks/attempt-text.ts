import { type AttemptChanges, type DeliveryAttempt, isAcknowledged } from "../../state/delivery.ts";
import { durationText } from "../browser/time-text.ts";

/** Describes the result of an attempt and, after a failure, the probable cause. */
export function attemptText(attempt: DeliveryAttempt, url: string): string {
  const { status, error, tookMilliseconds } = attempt;
  if (error !== undefined) return errorText(error, url, tookMilliseconds);
  if (status === undefined) return "No answer";
  if (isAcknowledged(attempt)) return `Acknowledged with ${status}`;
  // After a wrong signature, 401 is right.
  return attempt.changes ? `Answered with ${status}` : `${status}: ${statusText(status, url)}`;
}

function errorText(error: NonNullable<DeliveryAttempt["error"]>, url: string, tookMilliseconds: number): string {
  const { port, hostname } = partsOf(url);
  switch (error) {
    case "unreachable":
      return `Connection refused: is your app running on port ${port}?`;
    case "timed_out":
      return `No answer within ${durationText(tookMilliseconds)}: answer before doing slow work`;
    case "bad_certificate":
      return `The certificate of ${hostname} is not trusted`;
    case "not_loopback":
      return `${hostname} is not this machine, and remote webhooks are not allowed`;
    case "handler_threw":
      return "The handler in this process threw an error";
    case "dropped":
      return "A fault dropped it: nothing was sent";
    case "cut":
      return "The connection was cut before the answer";
  }
}

function statusText(status: number, url: string): string {
  if (status === 401) return "your app refused the signature. Does it use the signing secret of this application?";
  if (status === 404) return `your app has no route at ${partsOf(url).pathname}`;
  if (status === 405) return `your app does not accept POST at ${partsOf(url).pathname}`;
  if (status === 413) return "your app refused the body as too large";
  if (status < 400) return "redirects are not followed";
  return status >= 500 ? "your app failed. Its log has the details" : "your app refused it";
}

function partsOf(text: string): { port: string; hostname: string; pathname: string } {
  const url = URL.parse(text);
  if (!url) return { port: "?", hostname: text, pathname: text };
  return {
    port: url.port || (url.protocol === "https:" ? "443" : "80"),
    hostname: url.hostname,
    pathname: url.pathname,
  };
}

const signatureTexts = { valid: undefined, wrong_secret: "signed with a wrong secret", missing: "without a signature" };

/** Describes the changes of an attempt: "another body, 600 s ago, without a signature". */
export function changesText({ body, timestampOffsetSeconds = 0, signature = "valid" }: AttemptChanges): string {
  const isPast = timestampOffsetSeconds < 0;
  const seconds = Math.abs(timestampOffsetSeconds).toLocaleString("en");
  const texts = [
    body === undefined ? undefined : "another body",
    seconds === "0" ? undefined : `dated ${seconds} s ${isPast ? "ago" : "ahead"}`,
    signatureTexts[signature],
  ].filter((text) => text !== undefined);
  return texts.length === 0 ? "no changes" : texts.join(", ");
}
