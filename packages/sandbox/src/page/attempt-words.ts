import type { DeliveryAttempt } from "../state/delivery.ts";
import { durationText } from "./browser/duration-text.ts";

/** Says how an attempt ended, and what to look at when it failed. */
export function attemptWords(attempt: DeliveryAttempt, url: string): string {
  const { status, error, tookMilliseconds } = attempt;
  if (error !== undefined) return errorWords(error, url, tookMilliseconds);
  if (status === undefined) return "No answer";
  return isAcknowledged(attempt) ? `Acknowledged with ${status}` : `${status}: ${statusWords(status, url)}`;
}

/** Any 2xx acknowledges. @see "Receiver contract" of the specification */
export function isAcknowledged({ status }: DeliveryAttempt): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function errorWords(error: NonNullable<DeliveryAttempt["error"]>, url: string, took: number): string {
  const { port, hostname } = placeOf(url);
  switch (error) {
    case "unreachable":
      return `Connection refused: is your app running on port ${port}?`;
    case "timed_out":
      return `No answer within ${durationText(took)}: answer first, work afterwards`;
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

function statusWords(status: number, url: string): string {
  if (status === 401) return "your app refused the signature: does it use the signing secret of this application?";
  if (status === 404) return `your app has no route at ${placeOf(url).pathname}`;
  if (status === 405) return `your app takes no POST at ${placeOf(url).pathname}`;
  if (status === 413) return "your app finds the body too large";
  if (status < 400) return "redirects are not followed";
  return status >= 500 ? "your app failed; its log says more" : "your app refused it";
}

function placeOf(text: string): { port: string; hostname: string; pathname: string } {
  const url = URL.parse(text);
  if (!url) return { port: "?", hostname: text, pathname: text };
  return {
    port: url.port || (url.protocol === "https:" ? "443" : "80"),
    hostname: url.hostname,
    pathname: url.pathname,
  };
}
