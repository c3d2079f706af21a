import type { Dialect } from "../../wire/dialect.ts";

/** What each row of the dialect is about. */
export const dialectWords: Readonly<Record<keyof Dialect, string>> = {
  verificationId: "Id of a new verification",
  acceptedStatus: "Status of POST /verifications",
  confirmationRefusal: "Wrong or expired code",
  errorCode: "Error code of a confirmation",
  refusalStatus: "Bad API key, invalid input",
  refusalBody: "Body of refusals",
  envelope: "Name of the event beside data",
  eventFields: "Fields of data",
  instants: "Instants",
  verificationStatuses: "Statuses of verifications",
  messageStatuses: "Statuses of messages",
  channelNames: "Names of channels",
  customOtpTemplate: "Template beside custom_otp",
  messageList: "Answer of GET /messages",
  unregisteredSender: "Unregistered sender",
  httpTargets: "http webhook targets",
};

/** Choices that do not explain themselves. */
const choiceWords: Readonly<Record<string, string>> = {
  status_400: "400 with the error code",
  false: "200, success: false",
  text_true: '200, success: "true"',
  empty: "an empty body",
  "401_422": "401 and 422",
  "403_400": "403 and 400",
  message: "first word of message",
  data_only: "none, data alone",
  own: "words of its own",
  four: "the four",
  five: "one more: BUFFERED",
  refused: "refused",
  fails: "accepted, then FAILED",
  loopback: "taken on this machine",
};

/** A choice of a row in words. */
export function dialectChoiceWords(row: keyof Dialect, choice: string | number): string {
  if (row === "channelNames") return choice === "five" ? "the five" : "any";
  if (row === "verificationStatuses" && choice === "known") return "PENDING, APPROVED …";
  if (row === "refusalBody" || row === "messageList") return String(choice);
  return choiceWords[String(choice)] ?? String(choice).replaceAll("_", row === "instants" ? " " : "_");
}
