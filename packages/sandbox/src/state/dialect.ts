import { z } from "zod";
import type { Changes } from "./record.ts";

/**
 * The choices that the specification leaves open, one list for each row of `docs/service-gaps.md`. The first of each list
 * is the default.
 */
export const dialectChoices = {
  /** Place of the id in the creation response. `request_id`: the verification has no other id. */
  verificationId: ["verification_id", "data.verification_id", "verification.id", "id", "request_id"],
  /** Status of a successful `POST /verifications`. */
  acceptedStatus: [200, 201, 202],
  /** Answer to a wrong, expired or exhausted code. */
  confirmationRefusal: ["status_400", "false", "text_true", "empty"],
  /** Place of the error code in the body of a refused confirmation. */
  errorCode: ["error_code", "code", "error.code", "errors[0].code", "message"],
  /** Statuses for an invalid API key and for invalid input. */
  refusalStatus: ["401_422", "403_400"],
  /** Body of every refusal except a refused confirmation. */
  refusalBody: ["json", "empty", "html"],
  /** The member that names the event beside `data`. */
  envelope: ["event", "type", "event_type", "data_only"],
  /** Fields of `data` and of message records in addition to those that the specification names. */
  eventFields: ["documented", "bare", "rich"],
  /** Format of instants. */
  instants: [
    "iso_milliseconds",
    "iso_seconds",
    "iso_microseconds",
    "iso_offset",
    "epoch_seconds",
    "epoch_milliseconds",
  ],
  /** `PENDING`, `APPROVED`, `EXPIRED` and `FAILED`, or other words. */
  verificationStatuses: ["known", "own"],
  /** The four documented statuses, or `BUFFERED` between `QUEUED` and `SENT` as well. */
  messageStatuses: ["four", "five"],
  /** The five channels of Verify, or any name. */
  channelNames: ["five", "any"],
  /** Whether a request with `custom_otp` still needs a template. */
  customOtpTemplate: ["optional", "required"],
  /** Answer of `GET /messages`: a list in `messages`, a bare array, or a list in `data`. */
  messageList: ["messages", "array", "data"],
  /** A message from an unregistered sender is refused, or accepted and then `FAILED`. */
  unregisteredSender: ["refused", "fails"],
  /** Webhook destinations with `http` on this machine are accepted, or refused as the specification says. */
  httpTargets: ["loopback", "refused"],
} as const;

type Choices = typeof dialectChoices;

/** One choice for each row that the specification leaves open. */
export type Dialect = { readonly [Row in keyof Choices]: Choices[Row][number] };

/** The first choice of each row. All other documents describe this dialect. */
export const defaultDialect: Dialect = mapRows(([first]) => first) as Dialect;

/**
 * The shape of changes to a {@link Dialect}.
 *
 * @internal
 */
export const dialectShape: z.ZodType<Changes<Dialect>> = z
  .strictObject(mapRows((choices) => z.literal(choices)))
  .partial();

function mapRows<Value>(map: (choices: Choices[keyof Choices]) => Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(dialectChoices).map(([row, choices]) => [row, map(choices)]));
}
